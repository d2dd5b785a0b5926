internal import BackendStore
internal import Basics
internal import CSodium
internal import SecureMemory

// The key's memory is not written after `init`, so that threads may use it at once.

/// A key for HMAC-SHA256 (RFC 2104) of what clients hold.
final class Pepper: @unchecked Sendable, CustomReflectable {
  static let size = Int(crypto_auth_hmacsha256_KEYBYTES)

  // What the hash of a secret begins with: the key is taken in once, which is half the work of a short secret's hash.
  private let begun: SecureBytes

  init(_ key: consuming SecureBytes) throws(Failure) {
    guard key.count == Pepper.size else {
      throw Failure(.vaultDamaged, "a sealed pepper has \(key.count) bytes, not \(Pepper.size)")
    }
    let begun = try SecureBytes(count: MemoryLayout<crypto_auth_hmacsha256_state>.size)
    unsafe begun.withMutableBytes { begun in
      var state = crypto_auth_hmacsha256_state()
      unsafe key.withPointer { _ = unsafe crypto_auth_hmacsha256_init(&state, $0, Pepper.size) }
      unsafe withUnsafeBytes(of: &state) { unsafe begun.copyMemory(from: $0) }
      unsafe sodium_memzero(&state, begun.count)
    }
    self.begun = begun
  }

  /// Nothing to see.
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The 32 bytes of the hash.
  func hash(_ secret: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Int(crypto_auth_hmacsha256_BYTES)) { buffer, count in
      guard let out = buffer.baseAddress else { return }
      let bytes = unsafe secret.bindMemory(to: UInt8.self)
      var state = crypto_auth_hmacsha256_state()
      unsafe begun.withBytes { begun in
        unsafe withUnsafeMutableBytes(of: &state) { unsafe $0.copyMemory(from: begun) }
      }
      unsafe crypto_auth_hmacsha256_update(&state, bytes.baseAddress, UInt64(bytes.count))
      // It wipes the state.
      unsafe crypto_auth_hmacsha256_final(&state, out)
      count = Int(crypto_auth_hmacsha256_BYTES)
    }
  }
}
