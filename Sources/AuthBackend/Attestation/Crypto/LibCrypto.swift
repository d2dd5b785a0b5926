internal import COpenSSL

/// What is asked of libcrypto beside certificates.
enum LibCrypto {
  /// Empties this thread's error queue: what is left there would be taken for a fault of the next TLS connection.
  static func forgetErrors() { ERR_clear_error() }

  /// SHA-256, 32 bytes. Throws ``AttestationRefusal/Reason/unavailable``.
  static func sha256(_ bytes: [UInt8]) throws(AttestationRefusal) -> [UInt8] {
    defer { forgetErrors() }
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
      throw AttestationRefusal(.unavailable)
    }
    return digest
  }
}
