public import Basics

extension JSONWebKey {
  /// Reads one public key as JSON (RFC 7517 4), at most 64 KiB of it. Throws ``FailureCode/configuration`` for what
  /// is no such key, for a private or symmetric one, for a kind of key or a size that is not used here (RSA of less
  /// than 2048 or more than 8192 bits, curves but P-256 and Ed25519), and for a point that is not on its curve.
  public init(json: [UInt8]) throws(Failure) {
    let value: JSONValue
    do throws(JSONFault) { value = try JSONReader.value(json, maximumSize: 64 << 10, maximumDepth: 8) } catch {
      throw Failure(.configuration, "the key cannot be read: \(error)")
    }
    try self.init(value)
  }

  /// Reads the public key of a PEM text, `PUBLIC KEY` or `CERTIFICATE`; a certificate's chain and dates are not
  /// looked at, so it is for files that are trusted. Throws ``FailureCode/configuration``.
  public init(pem: [UInt8], id: String? = nil, algorithm: JWSAlgorithm? = nil) throws(Failure) {
    guard let material = unsafe pem.withUnsafeBytes({ unsafe EVPKey.publicKey(pem: $0) }) else {
      throw Failure(.configuration, "the PEM text holds no public key", hint: "'PUBLIC KEY' or 'CERTIFICATE' is needed")
    }
    if let objection = JSONWebKey.objection(toSize: material) { throw Failure(.configuration, objection) }
    guard let key = JSONWebKey(material, id: id, algorithm: algorithm?.rawValue) else {
      throw Failure(.configuration, "the PEM text holds a kind of key that is not used here")
    }
    self = key
  }

  init(_ value: JSONValue) throws(Failure) {
    func fault(_ what: String) -> Failure { Failure(.configuration, "a key cannot be used: \(what)") }
    func text(_ name: String) throws(Failure) -> String? {
      guard let member = value[name] else { return nil }
      guard let text = member.string else { throw fault("its '\(name)' is not a string") }
      return text
    }
    func number(_ name: String) throws(Failure) -> [UInt8] {
      guard let text = try text(name), let bytes = Base64URL.decode(text), !bytes.isEmpty else {
        throw fault("its '\(name)' is missing or not base64url")
      }
      return bytes
    }
    guard value.members != nil else { throw fault("it is not a JSON object") }
    guard let kind = try text("kty") else { throw fault("it has no 'kty'") }
    // Published private keys are known to others than their owner.
    if value["d"] != nil || value["k"] != nil {
      throw fault("it holds a private or symmetric key, which is no secret any more")
    }
    var operations: [String]?
    if let member = value["key_ops"] {
      guard let texts = member.strings else { throw fault("its 'key_ops' is not an array of strings") }
      operations = texts
    }
    let curve = try text("crv")
    let material: EVPKey?
    if kind.isExactly("RSA") {
      let exponent = try number("e")
      guard JSONWebKey.isUsable(exponent: exponent) else {
        throw fault("its exponent is not an odd number of 3 to 2^32-1")
      }
      let modulus = try number("n")
      guard modulus.count <= 1_100 else { throw fault("its modulus is too long") }
      material = EVPKey.rsa(modulus: modulus, exponent: exponent)
    } else if kind.isExactly("EC"), let curve, curve.isExactly("P-256") {
      material = EVPKey.p256(x: try number("x"), y: try number("y"))
    } else if kind.isExactly("OKP"), let curve, curve.isExactly("Ed25519") {
      material = EVPKey.ed25519(try number("x"))
    } else {
      let what = [kind, curve].compactMap { $0 }.joined(separator: " ")
      throw fault("'\(OutsideText.clean(what, limit: 64))' keys are not used here")
    }
    guard let material else { throw fault("its numbers are none of such a key") }
    if let objection = JSONWebKey.objection(toSize: material) { throw fault(objection) }
    let (id, use, algorithm) = (try text("kid"), try text("use"), try text("alg"))
    guard let key = JSONWebKey(material, id: id, use: use, operations: operations, algorithm: algorithm) else {
      throw fault("libcrypto cannot read it back")
    }
    self = key
  }

  /// Why an RSA key is too small, or so large that one verification takes long; nil for all others.
  static func objection(toSize material: EVPKey) -> String? {
    guard material.type == .rsa, !(2_048...8_192).contains(material.bits) else { return nil }
    return "it has \(material.bits) bits, and RSA needs 2048 to 8192"
  }

  // A large exponent makes verifying as slow as signing.
  private static func isUsable(exponent: [UInt8]) -> Bool {
    let digits = exponent.drop { $0 == 0 }
    guard let last = digits.last, digits.count <= 4 else { return false }
    return last & 1 == 1 && (digits.count > 1 || last >= 3)
  }
}
