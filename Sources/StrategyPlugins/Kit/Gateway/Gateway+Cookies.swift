extension Gateway {
  /// The cookies that an answer sets, as the value of a Cookie header for the next request to the same database; nil when it
  /// sets none.
  public func cookies(of response: HTTPResponse, _ host: Host) throws(StrategyError) -> Secret? {
    let set = SetCookie.latest(response.values("set-cookie").compactMap(SetCookie.init)).filter { cookie in
      Gateway.isCookieName(cookie.name) && Gateway.isToken(cookie.value)
        && ["/", "/\(database)", nil].contains(cookie.path)
    }
    guard !set.isEmpty else { return nil }
    return try host.makeSecret(set.map { "\($0.name)=\($0.value)" }.joined(separator: "; ").utf8)
  }
}
