/// What a fetch of an issuer's keys brought: the body of a 200 answer from its `jwks_uri`.
public struct FetchedKeys: Sendable {
  /// The body.
  public let bytes: [UInt8]
  /// For how many seconds the answer may be kept; nil when it does not say.
  public let maximumAge: Int64?

  /// A body and its age limit.
  public init(_ bytes: [UInt8], maximumAge: Int64? = nil) {
    self.bytes = bytes
    self.maximumAge = maximumAge
  }

  /// A body with its `Cache-Control` header field (RFC 9111 5.2.2): `max-age`, or 0 for `no-store` and `no-cache`.
  public init(_ bytes: [UInt8], cacheControl: String?) {
    var age: Int64?
    for directive in (cacheControl ?? "").split(separator: ",") {
      let parts = directive.split(separator: "=", maxSplits: 1)
        .map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased() }
      switch parts.first {
      case "no-store", "no-cache": age = 0
      case "max-age": if age == nil, parts.count == 2 { age = Int64(parts[1]).map { max(0, $0) } }
      default: break
      }
    }
    self.init(bytes, maximumAge: age)
  }
}
