internal import Basics
internal import COpenSSL

/// What every call into libcrypto needs.
enum OpenSSL {
  /// A failure of an operation, and an empty error queue: what is left there would be taken for a fault of the next TLS
  /// connection on this thread. The library's own words are not passed on; they name its functions.
  static func failure(_ message: String, hint: String? = nil) -> Failure {
    forgetErrors()
    return Failure(.configuration, message, hint: hint)
  }

  /// Empties this thread's error queue.
  static func forgetErrors() { ERR_clear_error() }

  /// Whether bytes are the same, in a time that depends on the lengths only.
  static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let left = a.baseAddress, let right = b.baseAddress else { return true }
    return unsafe CRYPTO_memcmp(left, right, a.count) == 0
  }
}
