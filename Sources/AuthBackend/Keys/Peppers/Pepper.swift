internal import BackendStore
internal import Basics
internal import CSodium
internal import SecureMemory

// The key's memory is not written after `init`, so that threads may use it at once.

/// A key for HMAC-SHA256 (RFC 2104) of what clients hold.
final class Pepper: @unchecked Sendable, CustomReflectable {
  static let size = Int(crypto_auth_hmacsha256_KEYBYTES)

  private let key: SecureBytes

  init(_ key: consuming SecureBytes) throws(Failure) {
    guard key.count == Pepper.size else {
      throw Failure(.vaultDamaged, "a sealed pepper has \(key.count) bytes, not \(Pepper.size)")
    }
    self.key = key
  }

  /// Nothing to see.
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The 32 bytes of the hash.
  func hash(_ secret: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Int(crypto_auth_hmacsha256_BYTES)) { buffer, count in
      guard let out = buffer.baseAddress else { return }
      let bytes = unsafe secret.bindMemory(to: UInt8.self)
      unsafe key.withPointer { key in
        _ = unsafe crypto_auth_hmacsha256(out, bytes.baseAddress, UInt64(bytes.count), key)
      }
      count = Int(crypto_auth_hmacsha256_BYTES)
    }
  }
}
