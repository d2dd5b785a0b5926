internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import Synchronization

extension GatewayCall {
  private static let challenge = #"Basic realm="Couchbase Sync Gateway""#

  /// Who is asking. The first credential that is there decides: a bearer token, Basic, for a replication a one-time session
  /// among the subprotocols, then the cookie, then the guest. Without an identity provider a bearer token is ignored.
  mutating func authenticate(_ privileges: Privileges, isReplication: Bool) throws(GatewayError) -> Principal {
    if let relyingParty, let token = bearerToken {
      return .user(try openIDUser(relyingParty, token).name)
    }
    if options.passwordAuth, let basic = BasicCredentials(request) {
      guard gateway.verify(basic.name, basic.password) else {
        addChallenge()
        throw .invalidLogin
      }
      return .user(basic.name)
    }
    if isReplication, let id = oneTimeSession { return try authenticate(oneTime: id) }
    do throws(GatewayError) {
      if let principal = try authenticateCookie() { return principal }
    } catch {
      if privileges == .regular { throw error }
    }
    if privileges == .regular, !options.guest {
      addChallenge()
      throw providedCredentials ? .invalidLogin : .loginRequired
    }
    return .guest
  }

  private mutating func addChallenge() {
    if options.wwwAuthenticate { headers.add("WWW-Authenticate", GatewayCall.challenge) }
  }

  /// Whether the request holds any credential, right or wrong. Before the database is known, the cookie is looked for
  /// by its usual name.
  var providedCredentials: Bool {
    BasicCredentials(request) != nil || bearerToken != nil
      || RequestCookies(request).first("SyncGatewaySession") != nil
  }

  /// The token of an `Authorization: Bearer` field, the word written just so; nil when there is none.
  private var bearerToken: String? {
    guard let field = request.headers.first("Authorization"), field.hasPrefix("Bearer "), field.utf8.count > 7 else {
      return nil
    }
    return String(field.dropFirst(7))
  }

  /// Who the cookie belongs to; nil when there is none. A session of which more than a tenth has passed begins anew, and
  /// the client is told, even when the user turns out to be gone.
  private mutating func authenticateCookie() throws(GatewayError) -> Principal? {
    guard let id = RequestCookies(request).first(options.cookieName) else { return nil }
    let now = now
    let found = gateway.state.withLock { state -> (session: GatewayState.Session, extended: Bool, uuid: String?)? in
      guard var session = state.session(id, now: now) else { return nil }
      let elapsed = now.advanced(by: session.ttl).seconds - session.expires.seconds
      let isExtended = !session.isOneTime && elapsed * 10 > session.ttl
      if isExtended {
        session.expires = now.advanced(by: session.ttl)
        state.sessions[id] = session
      }
      let uuid = session.user.isEmpty ? "" : state.users[session.user]?.sessionUUID
      if session.isOneTime, uuid == session.uuid { state.sessions[id] = nil }
      return (session, isExtended, uuid)
    }
    guard let found else { throw .sessionInvalid }
    if found.extended {
      headers.add(
        "Set-Cookie", "\(options.cookieName)=\(id); Path=\(cookiePath); Expires=\(found.session.expires.httpDate)")
    }
    guard found.uuid == found.session.uuid else { throw .sessionNoLongerValid }
    return found.session.user.isEmpty ? .guest : .user(found.session.user)
  }

  /// The path of cookies: the database's.
  var cookiePath: String { "/" + (request.target.segments.first ?? "") }
}
