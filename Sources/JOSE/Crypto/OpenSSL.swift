internal import COpenSSL

/// What every call into libcrypto needs.
enum OpenSSL {
  /// Empties this thread's error queue: what is left there would be taken for a fault of the next TLS connection.
  static func forgetErrors() { ERR_clear_error() }

  /// Whether bytes are the same, in a time that depends on the lengths only.
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return unsafe CRYPTO_memcmp(left, right, a.count) == 0
  }
}
