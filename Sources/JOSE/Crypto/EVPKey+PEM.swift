internal import COpenSSL
internal import SecureMemory

extension EVPKey {
  /// The public key of a PEM text (RFC 7468): of `PUBLIC KEY` or of a `CERTIFICATE`, whose validity is not looked at;
  /// nil when it holds neither.
  static func publicKey(pem: UnsafeRawBufferPointer) -> EVPKey? {
    unsafe read(pem) { bio in
      if let key = unsafe copenssl_read_public_key(bio) { return unsafe key }
      guard unsafe BIO_ctrl(bio, BIO_CTRL_RESET, 0, nil) >= 0, let certificate = unsafe copenssl_read_certificate(bio)
      else { return nil }
      defer { unsafe X509_free(certificate) }
      return unsafe X509_get_pubkey(certificate)
    }
  }

  /// The private key of a PEM text, `PRIVATE KEY` (PKCS #8) or an older form, not encrypted; nil when it holds none.
  static func privateKey(pem: UnsafeRawBufferPointer) -> EVPKey? {
    unsafe read(pem) { unsafe copenssl_read_private_key($0) }
  }

  /// The private key as PKCS #8 in PEM.
  var privatePEM: SecureBytes? {
    // The memory of a secure BIO is wiped as it is freed.
    unsafe written(BIO_s_secmem()) { unsafe PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
  }

  /// The public key as SubjectPublicKeyInfo in PEM.
  var publicPEM: String? {
    let bytes = unsafe written(BIO_s_mem()) { unsafe PEM_write_bio_PUBKEY($0, pointer) == 1 }
    return bytes?.publicText()
  }

  private static func read(_ pem: UnsafeRawBufferPointer, _ body: (OpaquePointer) -> OpaquePointer?) -> EVPKey? {
    defer { OpenSSL.forgetErrors() }
    guard let count = Int32(exactly: pem.count), let bio = unsafe BIO_new_mem_buf(pem.baseAddress, count) else {
      return nil
    }
    defer { unsafe BIO_free(bio) }
    guard let key = unsafe body(bio) else { return nil }
    return unsafe EVPKey(owning: key)
  }

  private func written(_ method: OpaquePointer?, _ body: (OpaquePointer) -> Bool) -> SecureBytes? {
    defer { OpenSSL.forgetErrors() }
    guard let bio = unsafe BIO_new(method) else { return nil }
    defer { unsafe BIO_free(bio) }
    guard unsafe body(bio) else { return nil }
    var start: UnsafeMutablePointer<CChar>?
    let count = unsafe copenssl_bio_bytes(bio, &start)
    guard count > 0 else { return nil }
    return try? unsafe SecureBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
  }
}
