internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

extension GatewayCall {
  mutating func session(_ database: String) throws(GatewayError) -> ServerResponse {
    switch request.method {
    case "POST":
      let principal = try enter(database, .open)
      return try createSession(principal)
    case "DELETE":
      _ = try enter(database, .regular)
      return try deleteSession()
    default:
      let principal = try enter(database, .open)
      return try json(body(for: principal))
    }
  }

  private mutating func createSession(_ authenticated: Principal) throws(GatewayError) -> ServerResponse {
    try checkLoginOrigin()
    if !options.passwordAuth, authenticated == .guest { throw .loginRequired }
    let principal = try principalOfBody(orElse: authenticated)
    let isOneTime = request.target.queryValue("one_time") == "true"
    let (id, expires) = try makeSession(for: principal, isOneTime: isOneTime)
    if options.sessionBody == .triple { return try json(triple(id, expires)) }
    if isOneTime { return try json(body(for: principal, oneTimeID: id)) }
    headers.add("Set-Cookie", cookie(id, expires: expires))
    return try json(body(for: principal))
  }

  /// Whom the body names. A user whom the header named already needs no body, and whatever is wrong with it does not
  /// matter; but a right name and password in the body come first.
  private func principalOfBody(orElse authenticated: Principal) throws(GatewayError) -> Principal {
    do throws(GatewayError) {
      let login = try LoginBody(request)
      let isRight =
        login.name.isEmpty
        ? options.guest && login.password.bytes.count == 0 : gateway.verify(login.name, login.password)
      guard isRight else { throw .invalidLogin }
      return login.name.isEmpty ? .guest : .user(login.name)
    } catch {
      guard case .user = authenticated else { throw error }
      return authenticated
    }
  }

  /// A new session. `ttl` in seconds is nil for the usual one.
  func makeSession(
    for principal: Principal, isOneTime: Bool = false, ttl: Int64? = nil
  ) throws(GatewayError) -> (id: String, expires: Timestamp) {
    let id = Hexadecimal.encode(randomBytes(20))
    let ttl = ttl ?? (isOneTime ? 300 : options.sessionTTL)
    let expires = now.advanced(by: ttl)
    let now = now
    let isMade = gateway.state.withLock { state in
      // A cookie of a user who was disabled meanwhile still authenticates; it makes no new session.
      guard !state.isDisabled(principal.name) else { return false }
      if state.sessions.count > 10_000 { state.sessions = state.sessions.filter { now < $0.value.expires } }
      state.sessions[id] = GatewayState.Session(
        user: principal.name, expires: expires, ttl: ttl, uuid: state.users[principal.name]?.sessionUUID ?? "",
        isOneTime: isOneTime)
      return true
    }
    guard isMade else { throw GatewayError(400, "User is disabled") }
    return (id, expires)
  }

  private mutating func deleteSession() throws(GatewayError) -> ServerResponse {
    try checkLoginOrigin()
    guard let id = RequestCookies(request).first(options.cookieName) else { throw GatewayError(404, "no session") }
    gateway.state.withLock { $0.sessions[id] = nil }
    headers.add("Set-Cookie", "\(options.cookieName)=; Expires=\(now.httpDate)")
    return ServerResponse(status: 200, headers: headers)
  }

  private func checkLoginOrigin() throws(GatewayError) {
    let origins = request.headers.all("Origin")
    guard !origins.isEmpty else { return }
    let isAllowed = options.loginOrigins.contains("*") || origins.contains { options.loginOrigins.contains($0) }
    if !isAllowed { throw .noCORS }
  }

  func cookie(_ id: String, expires: Timestamp) -> String {
    "\(options.cookieName)=\(id); Path=\(cookiePath); Expires=\(expires.httpDate)"
      + (options.cookieHTTPOnly ? "; HttpOnly" : "") + (options.cookieSecure ? "; Secure" : "")
      + (options.cookieSameSite.map { "; SameSite=\($0.rawValue)" } ?? "")
  }

  private func body(for principal: Principal, oneTimeID: String? = nil) -> String {
    var channels: [String: Int] = [:]
    // A guest that was never configured has no channel at all.
    if principal != .guest || options.guest { channels["!"] = 1 }
    for channel in gateway.state.withLock({ $0.users[principal.name]?.channels ?? [] }) { channels[channel] = 1 }
    let list = channels.sorted { $0.key < $1.key }.map { "\(quotedAsGo($0.key)):\($0.value)" }.joined(separator: ",")
    let oneTime = oneTimeID.map { "\"one_time_session_id\":\"\($0)\"," } ?? ""
    let name = principal == .guest ? "null" : quotedAsGo(principal.name)
    return #"{"authentication_handlers":["default","cookie"],"ok":true,\#(oneTime)"userCtx":"#
      + #"{"channels":{\#(list)},"name":\#(name)}}"#
  }

  private func triple(_ id: String, _ expires: Timestamp) -> String {
    let utc = expires.rfc3339.dropLast()
    let text =
      switch options.expiresFormat {
      case .seconds: utc + "Z"
      case .milliseconds: utc + ".000Z"
      case .offset: expires.advanced(by: 7_200).rfc3339.dropLast() + ".000000000+02:00"
      }
    return #"{"session_id":"\#(id)","expires":"\#(text)","cookie_name":\#(quotedAsGo(options.cookieName))}"#
  }
}
