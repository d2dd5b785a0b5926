internal import Basics
internal import CSodium
internal import SecureMemory

/// A hashed password (Argon2id through `crypto_pwhash_str`), with the cost that a laboratory needs: milliseconds, not the
/// tenth of a second that Sync Gateway's bcrypt takes.
struct PasswordHash: Sendable, Equatable {
  private static let operations: UInt64 = 2, memory = 4 << 20
  private let text: [CChar]

  /// Hashes a password. Throws ``FailureCode/inputOutput`` when memory runs out.
  init(_ password: borrowing SecureBytes) throws(Failure) {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let result = unsafe password.withBytes { bytes in
      unsafe text.withUnsafeMutableBufferPointer { out -> Int32 in
        guard let base = out.baseAddress, let secret = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        else {
          return -1
        }
        return unsafe crypto_pwhash_str(
          base, secret, UInt64(bytes.count), PasswordHash.operations,
          PasswordHash.memory)
      }
    }
    guard result == 0 else { throw Failure(.inputOutput, "cannot hash a password: memory ran out") }
    self.text = text
  }

  /// Whether this is the hash of a password.
  func matches(_ password: borrowing SecureBytes) -> Bool {
    unsafe password.withBytes { bytes in
      unsafe text.withUnsafeBufferPointer { hash -> Bool in
        guard let base = hash.baseAddress, let secret = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        else {
          return false
        }
        return unsafe crypto_pwhash_str_verify(
          base, secret, UInt64(bytes.count)) == 0
      }
    }
  }
}

/// What tells a secret from others without keeping it: a keyed digest. Of a password it saves the full cost of hashing again.
struct SecretDigest: Hashable, Sendable {
  private let bytes: [UInt8]

  /// The digest under `key`, 32 bytes that are this process's own.
  init(_ secret: borrowing SecureBytes, key: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe secret.withBytes { bytes in
      _ = unsafe crypto_generichash(
        &digest, digest.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), key,
        key.count)
    }
    bytes = digest
  }
}
