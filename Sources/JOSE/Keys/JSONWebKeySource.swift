/// Where the keys come from that may have signed a token: a ``JSONWebKeySet``, or a ``JWKSCache`` that fetches one. A
/// token itself is never such a place: its `jwk`, `jku`, `x5c` and `x5u` are not looked at.
public protocol JSONWebKeySource {
  /// The keys that may have signed a token with this header, never none. Throws ``TokenRefusal/Reason/unknownKey``,
  /// ``TokenRefusal/Reason/unsuitableKey``, ``TokenRefusal/Reason/ambiguousKey`` or
  /// ``TokenRefusal/Reason/keysUnavailable``.
  func keys(for header: JWSHeader) throws(TokenRefusal) -> [JSONWebKey]

  /// Keys that were not among `tried`, asked for when none of those made the signature; empty when there are none.
  func newerKeys(for header: JWSHeader, tried: [JSONWebKey]) -> [JSONWebKey]
}

extension JSONWebKeySet: JSONWebKeySource {
  /// The most keys that are tried for a token that names none. While an issuer changes its keys there are two; each is
  /// trusted alike, so trying them all is safe, and the bound keeps it cheap.
  public static let maximumTries = 8

  /// A token with `kid` is checked with the keys of that very id; one without it with each key that suits its
  /// algorithm.
  public func keys(for header: JWSHeader) throws(TokenRefusal) -> [JSONWebKey] {
    let named = header.keyID.map { id in keys.filter { $0.id?.isExactly(id) ?? false } } ?? keys
    if named.isEmpty { throw .unknownKey(header.keyID, in: self) }
    let suitable = named.filter { $0.objection(to: header.algorithm) == nil }
    if suitable.isEmpty {
      let objections = named.prefix(2).compactMap { $0.objection(to: header.algorithm) }
      throw .unsuitableKey(
        named.count == 1 ? objections.joined() : "none of \(named.count) suits \(header.algorithm.rawValue)")
    }
    guard suitable.count <= JSONWebKeySet.maximumTries else { throw .ambiguousKey(suitable.count) }
    return suitable
  }

  /// A set has no others.
  public func newerKeys(for header: JWSHeader, tried: [JSONWebKey]) -> [JSONWebKey] { [] }
}
