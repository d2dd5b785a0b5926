internal import Basics

/// A public key that verifies signatures (RFC 7517). It never holds anything private: see ``SigningKey`` for that.
public struct JSONWebKey: Sendable, CustomStringConvertible {
  /// What kind of key it is.
  public let type: KeyType
  /// `kid`: how a token names the key.
  public let id: String?
  /// `use`: what it is for, `sig` or `enc`; nil when it does not say.
  public let use: String?
  /// `key_ops`: what may be done with it; nil when it does not say.
  public let operations: [String]?
  /// `alg`: the only algorithm it is for; nil when it does not say.
  public let algorithm: String?

  /// The numbers by their names in the key: `e` and `n`, `x` and `y`, or `x`, in the order of RFC 7638.
  let numbers: [(name: String, bytes: [UInt8])]
  let material: EVPKey

  /// The kind of key, its size and its id.
  public var description: String {
    let size = type == .rsa ? " of \(material.bits) bits" : ""
    return type.words + size + (id.map { " with the id '\(OutsideText.clean($0, limit: 64))'" } ?? " without an id")
  }

  /// Why the key must not verify a token of an algorithm; nil when it may. Its `use`, `key_ops` and `alg` are heeded.
  func objection(to algorithm: JWSAlgorithm) -> String? {
    if type != algorithm.keyType {
      return "\(algorithm.rawValue) needs \(algorithm.keyType.words); it is \(type.words)"
    }
    if let own = self.algorithm, !own.isExactly(algorithm.rawValue) {
      return "it is for \(OutsideText.clean(own, limit: 32)) alone, not for \(algorithm.rawValue)"
    }
    if let use, !use.isExactly("sig") { return "its use is '\(OutsideText.clean(use, limit: 32))', not 'sig'" }
    if let operations, !operations.containsExactly("verify") { return "its key_ops do not allow 'verify'" }
    return nil
  }

  /// A key of libcrypto's with a name; nil when no algorithm here uses its kind. `bits` of RSA are checked by the
  /// caller.
  init?(
    _ material: EVPKey, id: String?, use: String? = nil, operations: [String]? = nil, algorithm: String? = nil
  ) {
    guard let type = material.type else { return nil }
    let numbers: [(name: String, bytes: [UInt8]?)] =
      switch type {
      case .rsa: [("e", material.number("e")), ("n", material.number("n"))]
      case .p256: [("x", material.number("qx", width: 32)), ("y", material.number("qy", width: 32))]
      case .ed25519: [("x", material.rawPublicKey)]
      }
    let known = numbers.compactMap { number in number.bytes.map { (name: number.name, bytes: $0) } }
    guard known.count == numbers.count else { return nil }
    (self.type, self.id, self.use, self.operations) = (type, id, use, operations)
    (self.algorithm, self.numbers, self.material) = (algorithm, known, material)
  }
}
