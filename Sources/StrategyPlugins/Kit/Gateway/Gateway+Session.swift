public import Basics

extension Gateway {
  /// What Sync Gateway calls its cookie unless told otherwise.
  public static let defaultCookieName = "SyncGatewaySession"

  /// What a request to the gateway is made with.
  public enum Credential: Sendable {
    /// Nothing: the place is open to everybody.
    case nothing
    /// A password.
    case password
    /// What an identity provider issued.
    case bearer
  }

  /// Opens a session with an ID token. The gateway answers 401 when it could not reach the provider just now, too: after
  /// one such answer it is asked once more, a moment later.
  public func openSession(bearer token: Secret, _ host: Host) throws(StrategyError) -> SignIn.Session {
    let authorization = try host.join("Bearer ", .secret(token))
    do throws(StrategyError) {
      return try openSession(authorization: authorization, of: .bearer, host)
    } catch {
      guard error.status == 401 else { throw error }
      host.log(.info, "the gateway rejected the ID token; it is asked once more in two seconds")
      try host.wait(seconds: 2)
      return try openSession(authorization: authorization, of: .bearer, host)
    }
  }

  /// Opens a session: `POST /DB/_session` with an Authorization header, no `Origin`, and an empty body. (A body, even
  /// `{}`, can make the gateway ignore the header and open a session for its guest.)
  public func openSession(authorization: Secret, _ host: Host) throws(StrategyError) -> SignIn.Session {
    try openSession(authorization: authorization, of: .password, host)
  }

  private func openSession(
    authorization: Secret, of credential: Credential, _ host: Host
  ) throws(StrategyError) -> SignIn.Session {
    let response = try host.send(
      HTTPRequest(
        "POST", sessionURL,
        headers: [("Authorization", .secret(authorization)), ("Accept", .text("application/json"))]))
    guard (200..<300).contains(response.status) else { throw try refusal(response, of: credential, host) }
    return try session(from: response, host)
  }

  /// The session that an answer brings: in a cookie, or in the members `session_id`, `expires` and `cookie_name`. Throws
  /// ``StrategyError/Reason/protocolViolation``.
  public func session(from response: HTTPResponse, _ host: Host) throws(StrategyError) -> SignIn.Session {
    let found = try session(in: response, host)
    let body = JSON(response.body)
    // The public port's `userCtx`, or the `name` of the gateway's own sign-in.
    let user = body?["userCtx"]?["name"]?.text ?? body?["name"]?.text
    return SignIn.Session(
      id: try host.makeSecret(found.id.utf8), cookieName: found.name, expires: found.expires, user: user)
  }

  /// What the gateway says of a session.
  public enum SessionState: Hashable, Sendable {
    /// It is not good any more.
    case ended
    /// It is good, until then where the gateway has just lengthened it.
    case good(until: Timestamp?)
  }

  /// Asks whose session it is; nil for one that is not good.
  func user(of session: SignIn.Session, _ host: Host) throws(StrategyError) -> String? {
    if let user = session.user { return user }
    let cookie = try host.join(.text(session.cookieName), "=", .secret(session.id))
    let response = try host.send(
      HTTPRequest("GET", sessionURL, headers: [("Cookie", .secret(cookie)), ("Accept", .text("application/json"))]))
    return JSON(response.body)?["userCtx"]?["name"]?.text
  }

  /// Asks whether a session is still good: `GET /DB/_session` with the cookie. The status does not say: a gateway answers 200,
  /// with nobody's name, for one that is not.
  public func checkSession(id: Secret, cookieName: String, _ host: Host) throws(StrategyError) -> SessionState {
    let cookie = try host.join(.text(cookieName), "=", .secret(id))
    let response = try host.send(
      HTTPRequest("GET", sessionURL, headers: [("Cookie", .secret(cookie)), ("Accept", .text("application/json"))]))
    if response.status == 401 { return .ended }
    guard (200..<300).contains(response.status) else { throw try refusal(response, host) }
    guard let name = JSON(response.body)?["userCtx"]?["name"]?.text, !name.isEmpty else { return .ended }
    let renewed = response.values("set-cookie").compactMap(SetCookie.init).last { $0.name == cookieName }
    return .good(until: try renewed.flatMap { cookie throws(StrategyError) in cookie.end(now: try host.now()) })
  }

  /// Closes a session: `DELETE /DB/_session` with the cookie. One that the gateway does not know any more is closed.
  public func closeSession(id: Secret, cookieName: Part, _ host: Host) throws(StrategyError) {
    let cookie = try host.join(cookieName, "=", .secret(id))
    let response = try host.send(HTTPRequest("DELETE", sessionURL, headers: [("Cookie", .secret(cookie))]))
    switch response.status {
    case 200..<300, 401, 404: return
    default: throw try refusal(response, host)
    }
  }

  // The public port answers with a cookie and a body about the user; the admin port, and back ends that pass its body on,
  // with `{"session_id", "expires", "cookie_name"}`.
  private func session(
    in response: HTTPResponse, _ host: Host
  ) throws(StrategyError) -> (id: String, name: String, expires: Timestamp?) {
    guard let body = JSON(response.body), case .object = body else {
      throw StrategyError(
        .protocolViolation, "The gateway's answer is not what a Sync Gateway answers.", status: response.status)
    }
    let cookies = SetCookie.latest(response.values("set-cookie").compactMap(SetCookie.init)).filter {
      Gateway.isCookieName($0.name) && Gateway.isToken($0.value)
    }
    let given = body["cookie_name"]?.text.flatMap { $0.isEmpty ? nil : $0 }
    let named = given.flatMap { Gateway.isCookieName($0) ? $0 : nil }
    if let cookie = sessionCookie(cookies, named: named) {
      return (cookie.value, cookie.name, cookie.end(now: try host.now()))
    }
    guard let id = body["session_id"]?.text, Gateway.isToken(id), given == nil || named != nil else {
      throw StrategyError(.protocolViolation, "The gateway's answer has no session.", status: response.status)
    }
    return (id, named ?? Gateway.defaultCookieName, body["expires"]?.text.flatMap { Timestamp(rfc3339: $0) })
  }

  // By the name that the body gives, by the usual name, or, where the database has a name of its own for it, by being the
  // only one for the database's path.
  private func sessionCookie(_ cookies: [SetCookie], named: String?) -> SetCookie? {
    for name in [named, Gateway.defaultCookieName] {
      if let name, let cookie = cookies.last(where: { $0.name == name }) { return cookie }
    }
    let own = cookies.filter { $0.path == "/\(database)" }
    return own.count == 1 ? own.first : nil
  }

  // A token of RFC 9110 5.6.2, which RFC 6265 asks of a cookie's name.
  static func isCookieName(_ text: String) -> Bool {
    text.utf8.count <= 256 && HTTPToken.isValid(text)
  }

  // What may stand in a Cookie header as it is (RFC 6265 4.1.1, cookie-octet), and not too long for one.
  static func isToken(_ text: String) -> Bool {
    (1...4_096).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && ![0x22, 0x2C, 0x3B, 0x5C].contains($0) }
  }
}
