internal import Basics
internal import SecureMemory

/// The plaintext of a vault: a count, the entries in the order of their names, zeros up to the padded size.
enum VaultBody {
  private static let entryFixedSize = 1 + 1 + 4 + 8

  /// The padded plaintext. Throws ``FailureCode/usage`` when there is too much of something.
  static func encode(_ entries: [KeyName: VaultContents.Entry]) throws(Failure) -> SecureBytes {
    let names = entries.keys.sorted()
    guard names.count <= VaultFormat.maximumEntries else {
      throw Failure(.usage, "a vault holds at most \(VaultFormat.maximumEntries) values")
    }
    var size = 4
    for name in names {
      let valueSize = entries[name]?.value.count ?? 0
      guard valueSize <= VaultFormat.maximumValueSize else {
        throw Failure(.usage, "the value of \(name) is larger than \(VaultFormat.maximumValueSize) bytes")
      }
      size += entryFixedSize + name.text.utf8.count + valueSize
    }
    let padded = VaultFormat.paddedSize(size)
    guard padded + VaultFormat.maximumHeaderSize + Cipher.tagSize <= VaultFormat.maximumFileSize else {
      throw Failure(.usage, "the vault would be larger than \(VaultFormat.maximumFileSize) bytes")
    }
    let body = try SecureBytes(count: padded)
    unsafe body.withMutableBytes { out in
      var offset = 0
      func put(_ bytes: some Collection<UInt8>) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: out[offset..<(offset + bytes.count)]).copyBytes(from: bytes)
        offset += bytes.count
      }
      func put(integer: some FixedWidthInteger & UnsignedInteger) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: integer)
        put(bytes)
      }
      put(integer: UInt32(names.count))
      for name in names {
        guard let entry = entries[name] else { continue }
        put([UInt8(name.text.utf8.count), 0])
        put(integer: UInt32(entry.value.count))
        put(integer: UInt64(bitPattern: entry.updatedAt.seconds))
        put(name.text.utf8)
        unsafe entry.value.withBytes { unsafe put($0) }
      }
    }
    return body
  }

  /// The entries of a plaintext; their values share its memory. It was authenticated, so what does not read is a fault
  /// of its writer: ``FailureCode/vaultDamaged``, or ``FailureCode/vaultNewerFormat`` for a flag not known here.
  static func decode(_ plaintext: consuming SecureBytes) throws(Failure) -> [KeyName: VaultContents.Entry] {
    let body = SecureBox(plaintext)
    return try unsafe body.bytes.withBytes { bytes throws(Failure) in
      var reader = unsafe ByteReader(bytes)
      guard let count = unsafe reader.integer(UInt32.self), count <= VaultFormat.maximumEntries else {
        throw VaultFormat.damaged("its contents cannot be read")
      }
      var entries: [KeyName: VaultContents.Entry] = [:]
      var last: KeyName?
      for _ in 0..<count {
        guard let nameSize = unsafe reader.integer(UInt8.self), let flags = unsafe reader.integer(UInt8.self),
          let valueSize = unsafe reader.integer(UInt32.self), let updated = unsafe reader.integer(UInt64.self),
          let nameBytes = unsafe reader.array(Int(nameSize)), let range = unsafe reader.range(Int(valueSize)),
          let text = String(validating: nameBytes, as: UTF8.self)
        else { throw VaultFormat.damaged("its contents are cut short") }
        // It could be read, but no change of the vault could be written any more, not even a logout.
        guard range.count <= VaultFormat.maximumValueSize else {
          throw VaultFormat.damaged("a value in it is larger than \(VaultFormat.maximumValueSize) bytes")
        }
        guard flags == 0 else {
          throw Failure(
            .vaultNewerFormat, "the vault holds a kind of value that this mfsctl does not know", hint: "use a newer one"
          )
        }
        let name = try keyName(text)
        if let last, last >= name { throw VaultFormat.damaged("its names are out of order") }
        last = name
        entries[name] = VaultContents.Entry(
          value: try SecureBytes(viewing: body, range),
          updatedAt: Timestamp(seconds: Int64(bitPattern: updated)))
      }
      guard let padding = unsafe reader.range(reader.remaining), unsafe bytes[padding].allSatisfy({ $0 == 0 }) else {
        throw VaultFormat.damaged("its padding is not empty")
      }
      return entries
    }
  }

  private static func keyName(_ text: String) throws(Failure) -> KeyName {
    do throws(Failure) { return try KeyName(text) } catch { throw VaultFormat.damaged("a name in it is none") }
  }
}
