/// What a request line asks for, taken apart (RFC 9110 7.1, RFC 3986 3.3 and 3.4).
public struct RequestTarget: Sendable, Equatable {
  /// One `name=value` of the query, decoded. A name without `=` has the empty value.
  public struct QueryItem: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String
  }

  /// The target as it was sent.
  public let raw: String
  /// The path as it was sent, without scheme, host and query; `*` for `OPTIONS *`.
  public let path: String
  /// The path's segments, each decoded, so `/db/a%2Fb` is `["db", "a/b"]`, `/db/` is `["db", ""]` and `/` is `[""]`.
  public let segments: [String]
  /// The query's items in order.
  public let query: [QueryItem]

  /// Takes a target apart. Nil when a percent sign begins no escape, or when the decoded bytes are not UTF-8.
  public init?(_ raw: String) {
    self.raw = raw
    var rest = raw[...].utf8
    if let fragment = rest.firstIndex(of: 0x23) { rest = rest[..<fragment] }
    var queryText = rest[rest.endIndex...]
    if let mark = rest.firstIndex(of: 0x3F) {
      queryText = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    let path = RequestTarget.withoutAuthority(Substring(rest))
    self.path = String(path)
    var segments: [String] = []
    let body = path.hasPrefix("/") ? path.dropFirst() : path
    for part in body.utf8.split(separator: 0x2F, omittingEmptySubsequences: false) {
      guard let segment = PercentEncoding.decode(Substring(part), plusIsBlank: false) else { return nil }
      segments.append(segment)
    }
    var query: [QueryItem] = []
    for part in queryText.split(separator: 0x26, omittingEmptySubsequences: true) {
      let equals = part.firstIndex(of: 0x3D) ?? part.endIndex
      guard let name = PercentEncoding.decode(Substring(part[..<equals]), plusIsBlank: true),
        let value = PercentEncoding.decode(Substring(part[equals...].dropFirst()), plusIsBlank: true)
      else { return nil }
      query.append(QueryItem(name: name, value: value))
    }
    self.segments = segments
    self.query = query
  }

  /// The first value of a query item; nil when there is none of that name.
  public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// `http://host/path`, the form that proxies get, stands for `/path`.
  private static func withoutAuthority(_ path: Substring) -> Substring {
    guard !path.hasPrefix("/"), let colon = path.firstIndex(of: ":"), path[colon...].hasPrefix("://") else {
      return path
    }
    let authority = path[colon...].dropFirst(3)
    guard let slash = authority.firstIndex(of: "/") else { return "/" }
    return authority[slash...]
  }
}
