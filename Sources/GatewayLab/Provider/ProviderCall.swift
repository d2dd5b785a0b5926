internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

/// One request on its way through the identity provider.
struct ProviderCall {
  static let cookieName = "LabIdentityProvider"

  let provider: IdentityProvider
  let request: ServerRequest
  let options: ProviderOptions
  let issuer: String
  let now: Timestamp
  /// The endpoint; nil when there is none at this path.
  let endpoint: ProviderEndpoint?
  /// For the log: what became of it.
  var outcome = ""

  init(provider: IdentityProvider, request: ServerRequest) {
    self.provider = provider
    self.request = request
    options = provider.options
    issuer = provider.issuer
    now = provider.clock()
    let absent = options.absent
    endpoint = ProviderEndpoint.allCases.first { isSame($0.path, request.target.path) && !absent.contains($0) }
  }

  mutating func run() -> ServerResponse {
    // Names that are pointed at this machine are not ours (DNS rebinding).
    guard let host = request.headers.first("Host"), isSame("http://" + host, issuer) else {
      return page(.problem("This is not the provider's address", "Use the issuer exactly as it is named."), status: 421)
    }
    guard let endpoint else { return page(.problem("Nothing here", "The provider has no such page."), status: 404) }
    guard endpoint.methods.contains(request.method) else {
      return ServerResponse(status: 405, headers: ["Allow": endpoint.methods.joined(separator: ", ")])
    }
    do throws(OAuthError) { return try answer(endpoint) } catch {
      outcome = error.code
      return error.response
    }
  }

  private mutating func answer(_ endpoint: ProviderEndpoint) throws(OAuthError) -> ServerResponse {
    switch endpoint {
    case .discovery: return metadata()
    case .jwks: return keys()
    case .authorize: return try authorize()
    case .token: return try token()
    case .revoke: return try revoke()
    case .userinfo: return try userInfo()
    case .introspect: return try introspect()
    case .deviceAuthorization: return try authorizeDevice()
    case .device: return try device()
    case .endSession: return try endSession()
    }
  }

  /// A form of the client's, which says who it is and cannot prove it.
  func clientForm() throws(OAuthError) -> FormFields {
    let form = try formFields(request)
    try form.checkOnce()
    guard request.headers.first("Authorization") == nil else {
      throw OAuthError(
        "invalid_client", "this client is public: send client_id in the body and no Authorization", status: 401,
        challenge: #"Basic realm="lab identity provider""#)
    }
    guard let id = form.text("client_id"), isSame(id, options.clientID) else {
      throw OAuthError("invalid_client", "there is no such client", status: 401)
    }
    return form
  }

  /// An answer that no cache keeps.
  func json(_ value: JSONValue) -> ServerResponse {
    ServerResponse(
      status: 200,
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"], text: value.text
    )
  }

  /// The browser's sign-in; nil when there is none, or it is over.
  var login: ProviderState.Login? {
    guard let digest = loginDigest else { return nil }
    let now = now
    return provider.state.withLock { $0.logins[digest] }.flatMap { now < $0.expires ? $0 : nil }
  }

  var loginDigest: SecretDigest? {
    guard let value = RequestCookies(request).first(ProviderCall.cookieName),
      let secret = try? SecureBytes(publicText: value)
    else { return nil }
    return SecretDigest(secret, key: provider.digestKey)
  }

  /// Signs a browser in; what to set as its cookie.
  func signIn(_ user: String) throws(OAuthError) -> (login: ProviderState.Login, cookie: String) {
    let secret = try provider.makeSecret()
    let login = ProviderState.Login(
      user: user, authenticated: now, expires: now.advanced(by: options.loginLifetime))
    let now = now
    let before = loginDigest
    provider.state.withLock { state in
      state.tidy(now: now)
      // A cookie that somebody may have planted is worth nothing after a sign-in.
      if let before { state.logins[before] = nil }
      state.logins[secret.digest] = login
    }
    return (login, "\(ProviderCall.cookieName)=\(secret.text); Path=/; HttpOnly; SameSite=Lax")
  }

  /// Whether a form comes from a page of ours, as far as the browser says; programs that say nothing are not browsers.
  var isFromOwnPage: Bool {
    request.headers.all("Origin").allSatisfy { isSame($0, issuer) }
      && request.headers.all("Sec-Fetch-Site").allSatisfy { $0 == "same-origin" || $0 == "none" }
  }
}
