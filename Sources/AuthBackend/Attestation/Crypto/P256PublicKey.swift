internal import COpenSSL

/// A P-256 public key inside libcrypto, with its memory.
@safe final class P256PublicKey {
  /// How many bytes its uncompressed point has (SEC 1 2.3.3): 4, x and y.
  static let pointSize = 65

  private let pointer: OpaquePointer

  /// A key of its uncompressed point; nil when that is none of the curve's.
  init?(point: [UInt8]) {
    defer { LibCrypto.forgetErrors() }
    guard point.count == P256PublicKey.pointSize, point.first == 4 else { return nil }
    let encoded = P256PublicKey.subjectPublicKeyInfo + point
    let made = unsafe encoded.withUnsafeBufferPointer { bytes in
      var at = bytes.baseAddress
      return unsafe d2i_PUBKEY(nil, &at, bytes.count)
    }
    guard let made = unsafe made else { return nil }
    unsafe pointer = unsafe made
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Whether a signature, ECDSA with SHA-256 in DER, is this key's over a message.
  func verifies(_ signature: [UInt8], of message: [UInt8]) throws(AttestationRefusal) -> Bool {
    defer { LibCrypto.forgetErrors() }
    guard let context = unsafe EVP_MD_CTX_new() else { throw AttestationRefusal(.unavailable) }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else {
      throw AttestationRefusal(.unavailable)
    }
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  // What stands before the point of a P-256 key in a SubjectPublicKeyInfo (RFC 5480 2), which is the same for all of them.
  private static let subjectPublicKeyInfo: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
}
