internal import COpenSSL
internal import CSodium
internal import SecureMemory

extension EVPKey {
  /// Whether a signature in JOSE's form (RFC 7518 3.3 to 3.5, RFC 8037 3.1) is this key's over a message. A signature
  /// of another length than the algorithm's is none.
  func verifies(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, by algorithm: JWSAlgorithm)
    -> Bool
  {
    defer { OpenSSL.forgetErrors() }
    guard signature.count == signatureLength(algorithm) else { return false }
    if algorithm == .edDSA { return unsafe checkEd25519(signature, of: message) }
    guard algorithm == .es256 else { return unsafe check(signature, of: message, by: algorithm) }
    // libcrypto takes ECDSA as DER.
    guard let pair = unsafe EVPKey.pair(signature) else { return false }
    defer { unsafe ECDSA_SIG_free(pair) }
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = Int(unsafe i2d_ECDSA_SIG(pair, &encoded))
    guard length > 0, let encoded = unsafe encoded else { return false }
    defer { unsafe CRYPTO_clear_free(encoded, length, #file, #line) }
    return unsafe check(UnsafeRawBufferPointer(start: encoded, count: length), of: message, by: algorithm)
  }

  /// This key's signature over a message, in JOSE's form; nil when the library fails.
  func sign(_ message: UnsafeRawBufferPointer, by algorithm: JWSAlgorithm) -> SecureBytes? {
    guard let room = try? SecureBytes(count: signatureRoom(algorithm)) else { return nil }
    let count = unsafe room.withMutableBytes { unsafe sign(message, by: algorithm, into: $0) }
    guard let count else { return nil }
    return algorithm == .es256 ? EVPKey.raw(room, count: count) : try? room.prefix(count)
  }

  /// The same in ordinary memory, for a token that goes there too. Not for ES256.
  func signPlainly(_ message: UnsafeRawBufferPointer, by algorithm: JWSAlgorithm) -> [UInt8]? {
    var count: Int?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: signatureRoom(algorithm)) { room, initialized in
      count = unsafe sign(message, by: algorithm, into: UnsafeMutableRawBufferPointer(room))
      initialized = count ?? 0
    }
    return count.map { _ in bytes }
  }

  // ECDSA's DER is longer than the result.
  private func signatureRoom(_ algorithm: JWSAlgorithm) -> Int { max(signatureLength(algorithm), 128) }

  // The signature in libcrypto's form, and how many bytes it has.
  private func sign(
    _ message: UnsafeRawBufferPointer, by algorithm: JWSAlgorithm, into room: UnsafeMutableRawBufferPointer
  ) -> Int? {
    defer { OpenSSL.forgetErrors() }
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer { unsafe EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    guard unsafe EVP_DigestSignInit(context, &keyContext, algorithm.signatureDigest, nil, pointer) == 1,
      unsafe EVPKey.setPadding(keyContext, algorithm)
    else { return nil }
    let bytes = unsafe message.bindMemory(to: UInt8.self).baseAddress
    let target = unsafe room.bindMemory(to: UInt8.self).baseAddress
    var count = room.count
    return unsafe EVP_DigestSign(context, target, &count, bytes, message.count) == 1 ? count : nil
  }

  /// How many bytes a signature has.
  func signatureLength(_ algorithm: JWSAlgorithm) -> Int {
    switch algorithm {
    case .rs256, .ps256: (bits + 7) / 8
    case .es256, .edDSA: 64
    }
  }

  // By libsodium, in half of libcrypto's time. It refuses points of small order too, which no honest key or signature has.
  private func checkEd25519(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
    guard let key = rawPublicKey, let given = unsafe signature.bindMemory(to: UInt8.self).baseAddress else {
      return false
    }
    let bytes = unsafe message.bindMemory(to: UInt8.self).baseAddress
    return unsafe crypto_sign_verify_detached(given, bytes, UInt64(message.count), key) == 0
  }

  private func check(
    _ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, by algorithm: JWSAlgorithm
  ) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    guard unsafe EVP_DigestVerifyInit(context, &keyContext, algorithm.signatureDigest, nil, pointer) == 1,
      unsafe EVPKey.setPadding(keyContext, algorithm)
    else { return false }
    let given = unsafe signature.bindMemory(to: UInt8.self).baseAddress
    let bytes = unsafe message.bindMemory(to: UInt8.self).baseAddress
    return unsafe EVP_DigestVerify(context, given, signature.count, bytes, message.count) == 1
  }

  // The context belongs to the digest's.
  private static func setPadding(_ context: OpaquePointer?, _ algorithm: JWSAlgorithm) -> Bool {
    switch algorithm {
    case .rs256: unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
    case .ps256:
      // RFC 7518 3.5: MGF1 with the same hash, and a salt as long as it.
      unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
    case .es256, .edDSA: true
    }
  }

  // r and s, 32 bytes each.
  private static func pair(_ signature: UnsafeRawBufferPointer) -> OpaquePointer? {
    let bytes = unsafe signature.bindMemory(to: UInt8.self).baseAddress
    guard let bytes = unsafe bytes, let pair = unsafe ECDSA_SIG_new() else { return nil }
    let r = unsafe BN_bin2bn(bytes, 32, nil)
    let s = unsafe BN_bin2bn(bytes + 32, 32, nil)
    guard unsafe r != nil, unsafe s != nil, unsafe ECDSA_SIG_set0(pair, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      unsafe ECDSA_SIG_free(pair)
      return nil
    }
    return unsafe pair
  }

  private static func raw(_ encoded: borrowing SecureBytes, count: Int) -> SecureBytes? {
    guard let bytes = try? SecureBytes(count: 64) else { return nil }
    let pair: OpaquePointer? = unsafe encoded.withPointer { start in
      var at: UnsafePointer<UInt8>? = unsafe UnsafePointer(start)
      return unsafe d2i_ECDSA_SIG(nil, &at, count)
    }
    guard let pair = unsafe pair else { return nil }
    defer { unsafe ECDSA_SIG_free(pair) }
    let isDone = unsafe bytes.withPointer { target in
      unsafe BN_bn2binpad(ECDSA_SIG_get0_r(pair), target, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), target + 32, 32) == 32
    }
    guard isDone else { return nil }
    return bytes
  }
}
