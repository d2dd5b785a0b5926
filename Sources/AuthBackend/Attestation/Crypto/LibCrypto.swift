internal import COpenSSL

/// What is asked of libcrypto beside certificates.
enum LibCrypto {
  /// Empties this thread's error queue: what is left there would be taken for a fault of the next TLS connection.
  static func forgetErrors() { ERR_clear_error() }
}
