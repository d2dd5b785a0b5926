internal import Basics
internal import SecureMemory

/// A vault file in memory: its header read, its body still sealed.
struct SealedVault {
  let header: VaultHeader
  private let file: ByteBlock
  private let headerBytes: [UInt8]

  /// Reads a file's bytes. Throws what ``VaultHeader/parse(_:fileSize:)`` does.
  init(_ file: ByteBlock) throws(Failure) {
    let start = file.prefix(VaultFormat.maximumHeaderSize)
    let (header, size) = try VaultHeader.parse(start, fileSize: file.count)
    self.header = header
    self.file = file
    headerBytes = Array(start[..<size])
  }

  /// Finds the slot that a secret opens. Throws ``FailureCode/vaultWrongKey`` when there is none,
  /// ``FailureCode/vaultTampered`` when the key that comes out is not the one that the header is committed to, and
  /// ``FailureCode/outOfMemory`` when a slot that might open could not be tried.
  func masterKey(with secret: UnlockSecret) throws(Failure) -> MasterKey {
    var refused: Failure?
    for slot in header.slots {
      do throws(Failure) {
        guard let key = try slot.unwrap(with: secret, vaultID: header.vaultID) else { continue }
        guard try key.matches(header) else { throw SealedVault.tampered }
        return key
      } catch  where error.code == .vaultDamaged || error.code == .outOfMemory {
        // One slot with parameters that are refused must not lock out the others. A slot that could not be tried counts
        // for more than one that never can: nobody may conclude that no key opens this vault.
        if refused?.code != .outOfMemory { refused = error }
      }
    }
    if let refused { throw refused }
    let kinds = Set(header.slots.map(\.typeName))
    throw Failure(
      .vaultWrongKey, "the \(secret.noun) does not open this vault",
      hint: kinds.contains(secret.typeName)
        ? "check that it is this vault's \(secret.noun), and whole"
        : "it is opened by: \(kinds.sorted().joined(separator: ", "))"
    )
  }

  /// Opens the body with a key that ``MasterKey/matches(_:)`` the header. Throws ``FailureCode/vaultTampered`` when the
  /// file is not what the holder of the key wrote.
  func contents(_ masterKey: MasterKey) throws(Failure) -> VaultContents {
    let key = try masterKey.bodyKey(vaultID: header.vaultID)
    let opened = try unsafe file.withBytes { bytes throws(Failure) in
      try unsafe Cipher.open(
        UnsafeRawBufferPointer(rebasing: bytes[headerBytes.count...]), key: key, nonce: header.bodyNonce,
        associated: headerBytes)
    }
    guard let plain = opened else { throw SealedVault.tampered }
    return VaultContents(generation: header.generation, entries: try VaultBody.decode(plain))
  }

  /// The bytes of a whole file. The header's nonce is used as it is; its body size is set here.
  static func seal(
    _ entries: [KeyName: VaultContents.Entry], header: VaultHeader, masterKey: MasterKey
  ) throws(Failure) -> ByteBlock {
    let plain = try VaultBody.encode(entries)
    var header = header
    header.bodySize = UInt64(plain.count + Cipher.tagSize)
    let headerBytes = try header.encoded()
    let key = try masterKey.bodyKey(vaultID: header.vaultID)
    let file = try ByteBlock(count: headerBytes.count + plain.count + Cipher.tagSize)
    try unsafe file.withMutableBytes { bytes throws(Failure) in
      unsafe bytes.copyBytes(from: headerBytes)
      try unsafe Cipher.seal(
        plain, key: key, nonce: header.bodyNonce, associated: headerBytes,
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[headerBytes.count...]))
    }
    return file
  }

  private static let tampered = Failure(
    .vaultTampered, "the vault file was changed by something that does not hold its key",
    hint: "nothing was changed; restore the file from a copy, or 'mfsctl vault logout --wipe' removes it")
}
