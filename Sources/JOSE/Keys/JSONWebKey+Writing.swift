public import Basics

extension JSONWebKey {
  /// The key as JSON (RFC 7517 4), to publish: `kty`, `kid`, `use`, `key_ops`, `alg` and its numbers.
  public var json: JSONValue {
    var members = [JSONValue.Member("kty", .string(type.name))]
    if let id { members.append(.init("kid", .string(id))) }
    if let use { members.append(.init("use", .string(use))) }
    if let operations { members.append(.init("key_ops", .strings(operations))) }
    if let algorithm { members.append(.init("alg", .string(algorithm))) }
    if let curve = type.curve { members.append(.init("crv", .string(curve))) }
    members += numbers.map { JSONValue.Member($0.name, .string(Base64URL.encode($0.bytes))) }
    return .object(members)
  }

  /// The key as SubjectPublicKeyInfo in PEM; nil when libcrypto has no memory.
  public var pem: String? { material.publicPEM }

  /// The SHA-256 thumbprint of the key (RFC 7638) in base64url, 43 characters: the same for the same key whatever
  /// else is said of it.
  public var thumbprint: String {
    var required = numbers.map { ($0.name, Base64URL.encode($0.bytes)) } + [("kty", type.name)]
    if let curve = type.curve { required.append(("crv", curve)) }
    let members = required.sorted { $0.0 < $1.0 }.map { JSONValue.Member($0.0, .string($0.1)) }
    return Base64URL.encode(SHA256.hash(JSONValue.object(members).text))
  }
}
