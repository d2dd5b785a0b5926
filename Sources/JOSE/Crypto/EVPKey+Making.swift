internal import COpenSSL
internal import SecureMemory

extension EVPKey {
  /// An RSA public key of big-endian numbers.
  static func rsa(modulus: [UInt8], exponent: [UInt8]) -> EVPKey? {
    guard var parameters = KeyParameters() else { return nil }
    let hasModulus = unsafe modulus.withUnsafeBytes { unsafe parameters.add("n", number: $0) }
    let hasExponent = unsafe exponent.withUnsafeBytes { unsafe parameters.add("e", number: $0) }
    return hasModulus && hasExponent ? parameters.key("RSA", isPrivate: false) : nil
  }

  /// A P-256 public key of its coordinates, 32 bytes each.
  static func p256(x: [UInt8], y: [UInt8]) -> EVPKey? {
    guard x.count == 32, y.count == 32, var parameters = KeyParameters() else { return nil }
    let isComplete = parameters.add("group", word: "P-256") && parameters.add("pub", point: [4] + x + y)
    return isComplete ? parameters.key("EC", isPrivate: false) : nil
  }

  /// A P-256 key pair.
  static func p256(x: [UInt8], y: [UInt8], secret: borrowing SecureBytes) -> EVPKey? {
    guard x.count == 32, y.count == 32, secret.count == 32, var parameters = KeyParameters() else { return nil }
    var isComplete = parameters.add("group", word: "P-256") && parameters.add("pub", point: [4] + x + y)
    isComplete = unsafe secret.withBytes { unsafe parameters.add("priv", number: $0, isSecret: true) } && isComplete
    return isComplete ? parameters.key("EC", isPrivate: true) : nil
  }

  /// An Ed25519 public key of its 32 bytes.
  static func ed25519(_ bytes: [UInt8]) -> EVPKey? {
    defer { OpenSSL.forgetErrors() }
    guard bytes.count == 32, let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, 32) else {
      return nil
    }
    return unsafe EVPKey(owning: key)
  }

  /// An Ed25519 key pair of the private key's 32 bytes.
  static func ed25519(secret: borrowing SecureBytes) -> EVPKey? {
    defer { OpenSSL.forgetErrors() }
    guard secret.count == 32 else { return nil }
    let key = unsafe secret.withPointer { unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0, 32) }
    guard let key = unsafe key else { return nil }
    return unsafe EVPKey(owning: key)
  }
}
