public import Basics
public import SecureMemory

/// A private key that signs tokens, for one algorithm (RFC 7517, RFC 7518, RFC 8037). Texts of it are in guarded
/// memory; the loaded key is libcrypto's own, which clears it as it is freed.
public final class SigningKey: Sendable, CustomStringConvertible {
  /// The algorithm it signs by.
  public let algorithm: JWSAlgorithm
  /// The public half to publish, with `use` `sig` and `alg`.
  public let publicKey: JSONWebKey
  let material: EVPKey

  /// A new key; `id` is its thumbprint when not given. RSA keys have 2048 bits. Throws when libcrypto cannot make one.
  public static func generate(_ algorithm: JWSAlgorithm, id: String? = nil) throws(Failure) -> SigningKey {
    guard let material = EVPKey.generate(algorithm.keyType, bits: 2_048) else {
      throw Failure(.inputOutput, "cannot make \(algorithm.keyType.words)")
    }
    return try SigningKey(material, algorithm, id: id)
  }

  /// Reads an unencrypted private key in PEM (PKCS #8, or an older form); `id` is its thumbprint when not given. Throws
  /// ``FailureCode/configuration`` when there is none, or it is not for the algorithm.
  public convenience init(
    pem: borrowing SecureBytes, algorithm: JWSAlgorithm, id: String? = nil
  ) throws(Failure) {
    guard let material = unsafe pem.withBytes({ unsafe EVPKey.privateKey(pem: $0) }) else {
      throw Failure(
        .configuration, "the PEM text holds no private key that can be read",
        hint: "an encrypted one is not read: see 'openssl pkey'")
    }
    try self.init(material, algorithm, id: id)
  }

  init(_ material: EVPKey, _ algorithm: JWSAlgorithm, id: String?) throws(Failure) {
    guard material.type == algorithm.keyType else {
      throw Failure(.configuration, "\(algorithm.rawValue) needs \(algorithm.keyType.words)")
    }
    if let objection = JSONWebKey.objection(toSize: material) { throw Failure(.configuration, objection) }
    guard let bare = JSONWebKey(material, id: nil), let key = EVPKey.publicHalf(of: bare),
      let publicKey = JSONWebKey(key, id: id ?? bare.thumbprint, use: "sig", algorithm: algorithm.rawValue)
    else { throw Failure(.inputOutput, "cannot take the public half of a key") }
    self.algorithm = algorithm
    self.publicKey = publicKey
    self.material = material
  }

  /// What the public half is.
  public var description: String { "a private key for \(algorithm.rawValue): \(publicKey)" }
}

extension EVPKey {
  /// The same key with nothing private in it.
  static func publicHalf(of key: JSONWebKey) -> EVPKey? {
    let numbers = key.numbers.map(\.bytes)
    switch (key.type, numbers.count) {
    case (.rsa, 2): return rsa(modulus: numbers[1], exponent: numbers[0])
    case (.p256, 2): return p256(x: numbers[0], y: numbers[1])
    case (.ed25519, 1): return ed25519(numbers[0])
    default: return nil
    }
  }
}
