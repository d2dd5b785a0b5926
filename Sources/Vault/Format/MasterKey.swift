internal import Basics
internal import CSodium
internal import SecureMemory

/// The 32 random bytes that everything in one vault hangs on; slots wrap it. It is never used itself, only what is
/// derived from it.
final class MasterKey {
  let bytes: SecureBytes

  init(bytes: consuming SecureBytes) { self.bytes = bytes }

  static func random() throws(Failure) -> MasterKey { MasterKey(bytes: try .random(count: Cipher.keySize)) }

  /// The key of the body.
  func bodyKey(vaultID: [UInt8]) throws(Failure) -> SecureBytes {
    try Cipher.derive(from: bytes, purpose: "mfsctl vault 1 body", context: vaultID)
  }

  /// What stands in the header so that a file can open to one content under one key only: the AEAD alone does not
  /// promise that.
  func commitment(vaultID: [UInt8]) throws(Failure) -> [UInt8] {
    let commitment = try Cipher.derive(from: bytes, purpose: "mfsctl vault 1 commitment", context: vaultID)
    return unsafe commitment.withBytes { unsafe Array($0) }
  }

  /// Whether this is the key that a header is committed to, in constant time.
  func matches(_ header: VaultHeader) throws(Failure) -> Bool {
    let own = try commitment(vaultID: header.vaultID)
    guard own.count == header.commitment.count else { return false }
    return unsafe sodium_memcmp(own, header.commitment, own.count) == 0
  }
}
