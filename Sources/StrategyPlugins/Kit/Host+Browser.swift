internal import CStrategyABI
internal import StrategyWire

/// A page of a server's where a person signs in, and how its answer comes back.
public struct AuthorizationRequest: Sendable {
  /// Where the answer's parameters stand.
  public enum Response: String, Sendable {
    /// In the query of the redirect; the host adds a PKCE challenge (RFC 7636).
    case query
    /// In its fragment, as in the implicit flow.
    case fragment
  }

  /// The page, such as a provider's authorization endpoint.
  public var url: String
  /// What is added to its query. The host adds `redirect_uri`, `state` and the challenge.
  public var parameters: [(name: String, value: String)]
  /// Where the answer's parameters stand.
  public var response: Response
  /// Whether `redirect_uri` and `state` are the server's own and in the parameters already; there is no challenge then.
  public var hasRedirect: Bool
  /// Whether only a browser that can be opened here will do; else the address may be shown, to be opened by hand.
  public var needsBrowser: Bool

  /// A request.
  public init(
    _ url: String, parameters: [(name: String, value: String)], response: Response = .query, hasRedirect: Bool = false,
    needsBrowser: Bool = false
  ) {
    self.url = url
    self.parameters = parameters
    self.response = response
    self.hasRedirect = hasRedirect
    self.needsBrowser = needsBrowser
  }
}

/// What the redirect of an ``AuthorizationRequest`` brought. Its `state` was the request's own.
public struct AuthorizationResponse: Sendable {
  /// The parameters, in order; `code`, `id_token` and `access_token` are secrets.
  public let parameters: [(name: String, value: Part)]
  /// The `redirect_uri` that was sent, which the token request repeats.
  public let redirectURI: String
  /// The PKCE verifier; nil when there was no challenge.
  public let codeVerifier: Secret?

  /// An answer, for tests of a strategy.
  public init(parameters: [(name: String, value: Part)], redirectURI: String, codeVerifier: Secret?) {
    self.parameters = parameters
    self.redirectURI = redirectURI
    self.codeVerifier = codeVerifier
  }

  /// The text of a parameter; nil when it is absent, a secret, or there more than once (RFC 6749 3.1).
  public func text(_ name: String) -> String? {
    if case .text(let text)? = single(name) { text } else { nil }
  }

  /// The secret of a parameter; nil when it is absent, a text, or there more than once.
  public func secret(_ name: String) -> Secret? {
    if case .secret(let secret)? = single(name) { secret } else { nil }
  }

  private func single(_ name: String) -> Part? {
    let found = parameters.filter { $0.name == name }
    return found.count == 1 ? found.first?.value : nil
  }
}

extension Host {
  /// Opens a page in the person's browser and waits for its redirect to this machine. Throws
  /// ``StrategyError/Reason/interactionNeeded`` when there is nobody, ``StrategyError/Reason/cancelled``. Nil when there is
  /// no browser and the request needs one.
  public func authorize(_ request: AuthorizationRequest) throws(StrategyError) -> AuthorizationResponse? {
    let table = unsafe try extensionTable(MFS_EXTENSION_BROWSER, mfs_browser_t.self)
    let record: WireRecord = [
      "url": .text(request.url),
      "parameters": .list(WireRecord(request.parameters.map { .init($0.name, .text($0.value)) })),
      "response": .text(request.response.rawValue), "redirect": .text(request.hasRedirect ? "given" : "own"),
      "browser": .text(request.needsBrowser ? "required" : "preferred"),
    ]
    guard let answer = unsafe try call(table.pointee.authorize, record) else { return nil }
    guard let list = answer.list("parameters"), let redirectURI = answer.text("redirectURI")
    else { throw Host.malformed }
    var parameters: [(name: String, value: Part)] = []
    for field in list.fields {
      switch field.value {
      case .text(let text): parameters.append((field.name, .text(text)))
      case .secret(let handle): parameters.append((field.name, .secret(Secret(handle: handle))))
      default: throw Host.malformed
      }
    }
    return AuthorizationResponse(
      parameters: parameters, redirectURI: redirectURI,
      codeVerifier: answer.secret("codeVerifier").map { Secret(handle: $0) })
  }

  /// Opens a page in the person's browser and waits for nothing. False when there is no browser.
  public func open(_ url: String, parameters: [(name: String, value: Part)] = []) throws(StrategyError) -> Bool {
    let table = unsafe try extensionTable(MFS_EXTENSION_BROWSER, mfs_browser_t.self)
    let record: WireRecord = [
      "url": .text(url), "parameters": .list(WireRecord(parameters.map { .init($0.name, $0.value.wire) })),
    ]
    guard let answer = unsafe try call(table.pointee.open, record), let opened = answer.boolean("opened") else {
      throw Host.malformed
    }
    return opened
  }

  /// Shows a person a text that needs no answer.
  public func show(_ text: String) throws(StrategyError) {
    let table = unsafe try extensionTable(MFS_EXTENSION_PROMPT, mfs_prompt_t.self, isWhole: true)
    _ = unsafe try call(table.pointee.show, ["text": .text(text)])
  }

  /// Waits for so many seconds, 0 to 600. Throws ``StrategyError/Reason/cancelled``, ``StrategyError/Reason/network`` when
  /// the time is up.
  public func wait(seconds: Int) throws(StrategyError) {
    let table = unsafe try extensionTable(MFS_EXTENSION_TIMER, mfs_timer_t.self)
    _ = unsafe try call(table.pointee.wait, ["seconds": .integer(Int64(seconds))])
  }
}
