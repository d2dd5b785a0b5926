internal import Basics

/// The clear part of a vault file. All of it is authenticated: it is the associated data of the body.
struct VaultHeader: Equatable {
  var vaultID: [UInt8]
  var generation: UInt64
  var commitment: [UInt8]
  var bodyNonce: [UInt8]
  /// The size of the sealed body, its tag included.
  var bodySize: UInt64
  var slots: [VaultSlot]

  /// The header's bytes.
  func encoded() throws(Failure) -> [UInt8] {
    let slotBytes = slots.flatMap(\.record)
    let size = VaultFormat.fixedHeaderSize + slotBytes.count
    guard (1...VaultFormat.maximumSlots).contains(slots.count), size <= VaultFormat.maximumHeaderSize else {
      throw Failure(.usage, "a vault has 1 to \(VaultFormat.maximumSlots) slots")
    }
    var bytes = VaultFormat.magic
    bytes.append(littleEndian: VaultFormat.version)
    bytes.append(littleEndian: UInt16(slots.count))
    bytes.append(littleEndian: UInt32(size))
    bytes.append(littleEndian: generation)
    bytes += vaultID + commitment + bodyNonce
    bytes.append(littleEndian: bodySize)
    return bytes + slotBytes
  }

  /// Reads the header at the front of a file, of which the first ``VaultFormat/maximumHeaderSize`` bytes are enough,
  /// checking every size before it is used, and that the file is as long as it says. Throws ``FailureCode/vaultDamaged``, or ``FailureCode/vaultNewerFormat``.
  static func parse(_ file: [UInt8], fileSize: Int) throws(Failure) -> (header: VaultHeader, size: Int) {
    var reader = ByteReader(file[...])
    guard reader.array(VaultFormat.magic.count) == VaultFormat.magic else {
      throw VaultFormat.damaged(
        VaultFormat.magic.starts(with: file.prefix(VaultFormat.magic.count))
          ? "it is cut short" : "it does not begin as a vault does")
    }
    guard let version = reader.integer(UInt16.self) else { throw VaultFormat.damaged("it is cut short") }
    guard version <= VaultFormat.version else {
      throw Failure(
        .vaultNewerFormat, "the vault file has format \(version), and this mfsctl reads format \(VaultFormat.version)",
        hint: "use the mfsctl that made it, or a newer one")
    }
    guard version == VaultFormat.version else { throw VaultFormat.damaged("its format number is \(version)") }
    guard let slotCount = reader.integer(UInt16.self), let size = reader.integer(UInt32.self),
      let generation = reader.integer(UInt64.self), let vaultID = reader.array(VaultFormat.vaultIDSize),
      let commitment = reader.array(VaultFormat.commitmentSize), let nonce = reader.array(Cipher.nonceSize),
      let bodySize = reader.integer(UInt64.self)
    else { throw VaultFormat.damaged("it is cut short") }
    guard Int(size) <= VaultFormat.maximumHeaderSize, Int(size) >= VaultFormat.fixedHeaderSize,
      (1...VaultFormat.maximumSlots).contains(Int(slotCount)), bodySize >= UInt64(Cipher.tagSize),
      bodySize <= UInt64(VaultFormat.maximumFileSize)
    else { throw VaultFormat.damaged("its header has an impossible size") }
    let expected = Int(size) + Int(bodySize)
    guard fileSize == expected else {
      throw VaultFormat.damaged(
        fileSize < expected
          ? "it is cut short, \(fileSize) of \(expected) bytes" : "there is something after its end")
    }
    let slots = try slots(Int(slotCount), in: file, end: Int(size))
    let header = VaultHeader(
      vaultID: vaultID, generation: generation, commitment: commitment, bodyNonce: nonce, bodySize: bodySize,
      slots: slots)
    return (header, Int(size))
  }

  private static func slots(_ count: Int, in file: [UInt8], end: Int) throws(Failure) -> [VaultSlot] {
    var reader = ByteReader(file[VaultFormat.fixedHeaderSize..<end])
    var slots: [VaultSlot] = []
    for _ in 0..<count { slots.append(try VaultSlot(&reader, in: file)) }
    guard reader.remaining == 0 else { throw VaultFormat.damaged("its slots do not fill its header") }
    guard Set(slots.map(\.id)).count == slots.count else { throw VaultFormat.damaged("two slots have one id") }
    return slots
  }
}
