internal import Basics
internal import SecureMemory

/// A vault file in memory: its header read, its body still sealed.
struct SealedVault {
  let header: VaultHeader
  private let headerBytes: [UInt8]
  private let body: [UInt8]

  /// Reads a file's bytes. Throws what ``VaultHeader/parse(_:)`` does.
  init(_ file: [UInt8]) throws(Failure) {
    let (header, size) = try VaultHeader.parse(file)
    self.header = header
    headerBytes = Array(file[..<size])
    body = Array(file[size...])
  }

  /// Finds the slot that a secret opens. Throws ``FailureCode/vaultWrongKey`` when there is none,
  /// ``FailureCode/vaultTampered`` when the key that comes out is not the one that the header is committed to.
  func masterKey(with secret: UnlockSecret) throws(Failure) -> MasterKey {
    var refused: Failure?
    for slot in header.slots {
      do throws(Failure) {
        guard let key = try slot.unwrap(with: secret, vaultID: header.vaultID) else { continue }
        guard try key.matches(header) else { throw SealedVault.tampered }
        return key
      } catch  where error == Failure(.vaultDamaged, "") {
        // One slot with parameters that are refused must not lock out the others.
        refused = error
      }
    }
    if let refused { throw refused }
    let kinds = Set(header.slots.map(\.typeName)).sorted().joined(separator: ", ")
    throw Failure(
      .vaultWrongKey, "the \(secret.noun) does not open this vault", hint: "its slots are of type: \(kinds)")
  }

  /// Opens the body. Throws ``FailureCode/vaultTampered`` when the file is not what the holder of the key wrote.
  func contents(_ masterKey: MasterKey) throws(Failure) -> VaultContents {
    guard try masterKey.matches(header) else { throw SealedVault.tampered }
    let key = try masterKey.bodyKey(vaultID: header.vaultID)
    guard let plain = try Cipher.open(body, key: key, nonce: header.bodyNonce, associated: headerBytes) else {
      throw SealedVault.tampered
    }
    return VaultContents(generation: header.generation, entries: try VaultBody.decode(plain))
  }

  /// The bytes of a whole file. The header's nonce is used as it is; its body size is set here.
  static func seal(
    _ entries: [KeyName: VaultContents.Entry], header: VaultHeader, masterKey: MasterKey
  ) throws(Failure) -> [UInt8] {
    let plain = try VaultBody.encode(entries)
    var header = header
    header.bodySize = UInt64(plain.count + Cipher.tagSize)
    let headerBytes = try header.encoded()
    let key = try masterKey.bodyKey(vaultID: header.vaultID)
    return headerBytes
      + (try Cipher.seal(plain, key: key, nonce: header.bodyNonce, associated: headerBytes))
  }

  private static let tampered = Failure(
    .vaultTampered, "the vault file was changed by something that does not hold its key",
    hint: "nothing was changed; restore the file from a copy, or 'mfsctl vault logout --wipe' removes it")
}
