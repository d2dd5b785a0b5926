internal import Basics
public import StrategyKit

/// A new session without a person (OpenID Connect Core 12): with a refresh token, or with an ID token that is still good.
public enum Renewal {
  /// Gets a new session. A refresh token that replaces the one before is stored before anything is done with what came
  /// beside it: the one before may be dead from then on.
  public static func refresh(_ call: Call, strategy: String, _ host: Host) throws(StrategyError) -> SignIn {
    let gateway = try Gateway(call), client = try Client(call)
    let refreshToken = try host.stored("auth.refreshToken")
    if try GatewayFlow.isStored(call, strategy, host) {
      let subject = try subject(strategy, host)
      return try GatewayFlow.refresh(call, refreshToken, subject: subject, gateway, client, host)
    }
    guard let refreshToken else { return try reuse(gateway, host) }
    let provider = try Provider(host)
    let tokens = try Tokens(
      [("grant_type", "refresh_token"), ("refresh_token", .secret(refreshToken))], at: provider, of: client,
      rejects: .badCredentials, host)
    var identity: Identity?
    if let token = tokens.idToken {
      // A token that is wrong must not cost the refresh token that came with it.
      do throws(StrategyError) {
        identity = try Identity(
          token, from: .refresh, nonce: nil, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
          subject: try subject(strategy, host), client: client, host)
      } catch {
        try keep(tokens, nil, provider, client, host)
        throw error
      }
    }
    try keep(tokens, identity, provider, client, host)
    if let identity { return try identity.signIn(at: gateway, identifier: nil, host) }
    return try reuse(gateway, host)
  }

  /// Gets a new session where there never is a refresh token, as after the implicit flow.
  public static func reuse(_ call: Call, _ host: Host) throws(StrategyError) -> SignIn {
    try reuse(try Gateway(call), host)
  }

  // The state of this plugin's own; a sign-in that has none has nothing to compare with.
  private static func subject(_ strategy: String, _ host: Host) throws(StrategyError) -> String? {
    try host.storedBytes("auth.plugin.\(strategy).subject").map { String(decoding: $0, as: UTF8.self) }
  }

  private static func keep(
    _ tokens: Tokens, _ identity: Identity?, _ provider: Provider, _ client: Client, _ host: Host
  ) throws(StrategyError) {
    var values: [(name: String, value: Secret)] = []
    var moments: [(name: String, value: Timestamp)] = []
    if let token = tokens.refreshToken { values.append(("auth.refreshToken", token)) }
    if let identity {
      values.append(("auth.idToken", identity.token))
      moments.append(("auth.idTokenExpiresAt", identity.expires))
    }
    guard !values.isEmpty else { return }
    guard try host.store(values, moments: moments) else {
      // Somebody signed out while the provider answered: what it gave must not live on (RFC 7009).
      let step = tokens.refreshToken.flatMap { try? Closing.revoke($0, at: provider, of: client, host) }
      throw StrategyError(
        .cancelled,
        "The sign-in ended while it was refreshed"
          + (step?.outcome == .reached ? "; the new token was revoked." : ", and nothing of it was stored."))
    }
  }

  /// Without a new ID token: the one from before while it is good, then the gateway's session, which lengthens its own life
  /// while it is used.
  static func reuse(_ gateway: Gateway, _ host: Host) throws(StrategyError) -> SignIn {
    let margin: Int64 = 30
    if let token = try host.stored("auth.idToken"), let end = try moment("auth.idTokenExpiresAt", host),
      end.seconds > (try host.now().seconds) + margin
    {
      return SignIn(identifier: nil, session: try gateway.openSession(bearer: token, host))
    }
    if let session = try goodSession(gateway, host) { return SignIn(identifier: nil, session: session) }
    throw StrategyError(.interactionNeeded, "There is no token left to get a session with.")
  }

  /// The stored session, when the gateway says that it is still good; asking lengthens its life.
  static func goodSession(_ gateway: Gateway, _ host: Host) throws(StrategyError) -> SignIn.Session? {
    guard let id = try host.stored("auth.sessionId"), let name = try host.storedBytes("auth.cookieName") else {
      return nil
    }
    let cookieName = String(decoding: name, as: UTF8.self)
    guard case .good(let until) = try gateway.checkSession(id: id, cookieName: cookieName, host) else { return nil }
    let before = try moment("auth.sessionExpiresAt", host)
    return SignIn.Session(id: id, cookieName: cookieName, expires: until ?? before)
  }

  private static func moment(_ name: String, _ host: Host) throws(StrategyError) -> Timestamp? {
    try host.storedBytes(name).flatMap { Timestamp(rfc3339: String(decoding: $0, as: UTF8.self)) }
  }
}
