internal import Basics
internal import HTTPClient
internal import JOSE
internal import SecureMemory
internal import StrategyWire

// A person's browser: pages of granted servers only, with a state and a PKCE challenge that no plugin can forget.
extension HostCalls {
  func authorize(_ request: PluginRecord) throws(CallEnd) -> Reply {
    let page = try page(request)
    guard let list = request.list("parameters"),
      let response = request.text("response").flatMap(BrowserVisit.Response.init)
    else { throw .status(.badArgument, "`parameters` must be a list, `response` 'query' or 'fragment'") }
    var query: [(name: String, value: String)] = []
    for field in list.fields {
      guard case .text(let text) = field.value else { throw .status(.badArgument, "a parameter is not a text") }
      query.append((field.name, text))
    }
    if services.asksAgain, grants.issuer != nil { HostCalls.askAgain(&query) }
    let plan = request.text("redirect") == "given" ? try given(query) : try own(query, response)
    let visit = BrowserVisit(
      page: try url(page, plan.query), state: plan.state, response: response, redirect: plan.redirect,
      needsBrowser: request.text("browser") == "required")
    let back = try visited { browser, deadline throws(Failure) in
      try browser.visit(visit, until: deadline, cancellation: cancellation)
    }
    return try reply(back, verifier: plan.verifier)
  }

  func open(_ request: PluginRecord) throws(CallEnd) -> Reply {
    let page = try page(request)
    let text = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.secret) }
    try append(.text(page.description), to: text)
    var isFirst = true
    for field in request.list("parameters")?.fields ?? [] {
      if isFirst { try append(.text(page.target.contains("?") ? "&" : "?"), to: text) }
      try appendField(field.name, field.value, to: text, isFirst: isFirst)
      isFirst = false
    }
    let address = try fatally { () throws(Failure) in SecureBox(try text.contents()) }
    let opened = try visited { browser, deadline throws(Failure) in
      try browser.open(address, until: deadline, cancellation: cancellation)
    }
    return .ok(("opened", .boolean(opened)))
  }

  // OpenID Connect Core 3.1.2.1: `none` stands alone, and the others go together.
  private static func askAgain(_ query: inout [(name: String, value: String)]) {
    let asked = query.filter { $0.name == "prompt" }.flatMap { $0.value.split(separator: " ") }
    query.removeAll { $0.name == "prompt" }
    let others = asked.filter { !["none", "login"].contains($0) }
    query.append(("prompt", (["login"] + others).joined(separator: " ")))
  }

  private func page(_ request: PluginRecord) throws(CallEnd) -> HTTPURL {
    guard let text = request.text("url"), let url = HTTPURL(text) else {
      throw .status(.badArgument, "`url` is not an absolute http or https URL in plain ASCII")
    }
    guard grants.allowsPage(url.origin) else { throw .status(.denied, "opening a page of \(url.origin)") }
    prompts += 1
    guard prompts <= StrategyLimits.prompts else {
      throw .fatal(Failure(.pluginFailed, "it asked more than \(StrategyLimits.prompts) questions"))
    }
    return url
  }

  // Waiting for a person does not count, as with a question; a redirect that never comes ends by the browser's deadline.
  private func visited<R>(
    _ body: (any StrategyBrowser, MonotonicInstant) throws(Failure) -> R
  ) throws(CallEnd) -> R {
    guard let browser = services.browser else { throw .status(.nobody, "there is no browser to open") }
    let start = MonotonicInstant.now()
    do throws(Failure) {
      let end = start.advanced(bySeconds: Double(StrategyLimits.visit))
      let result =
        browser.asksOnTerminal
        ? try watch.suspended { () throws(Failure) in try body(browser, end) } : try body(browser, end)
      deadline = deadline.advanced(byMilliseconds: MonotonicInstant.now().milliseconds(since: start))
      return result
    } catch {
      if error.code == .signInNeeded { throw .status(.nobody, error.message) }
      if error.code == .notFound { throw .status(.notFound, error.message) }
      throw .fatal(error)
    }
  }

  private struct Plan {
    let query: [(name: String, value: String)]
    let state: String
    let redirect: BrowserVisit.Redirect
    let verifier: SecureBox?
  }

  private func own(
    _ query: [(name: String, value: String)], _ response: BrowserVisit.Response
  ) throws(CallEnd) -> Plan {
    for name in ["state", "redirect_uri", "code_challenge", "code_challenge_method"]
    where query.contains(where: { $0.name == name }) {
      throw .status(.badArgument, "`\(name)` is the host's to add")
    }
    let state = try fatally { () throws(Failure) in try HostCalls.randomText(bytes: 16) }
    var query = query + [("state", state.bytes.publicText() ?? "")]
    var verifier: SecureBox?
    if response == .query {
      // 32 random bytes, 43 characters: the least that RFC 7636 4.1 takes for enough.
      let text = try fatally { () throws(Failure) in try HostCalls.randomText(bytes: 32) }
      query.append(("code_challenge", HostCalls.challenge(of: text)))
      query.append(("code_challenge_method", "S256"))
      verifier = text
    }
    return Plan(query: query, state: state.bytes.publicText() ?? "", redirect: .own, verifier: verifier)
  }

  private func given(_ query: [(name: String, value: String)]) throws(CallEnd) -> Plan {
    func single(_ name: String) -> String? {
      let found = query.filter { $0.name == name }
      return found.count == 1 ? found.first?.value : nil
    }
    guard let state = single("state"), !state.isEmpty else { throw .status(.badArgument, "there is no `state`") }
    guard let redirect = single("redirect_uri").flatMap(HTTPURL.init), redirect.isLoopback else {
      throw .status(.badArgument, "`redirect_uri` is not a place of this machine's")
    }
    return Plan(query: query, state: state, redirect: .given(redirect), verifier: nil)
  }

  private func url(_ page: HTTPURL, _ query: [(name: String, value: String)]) throws(CallEnd) -> HTTPURL {
    let fields = query.map { "\(FormEncoding.encoded($0.name))=\(FormEncoding.encoded($0.value))" }
    let text = page.description + (page.target.contains("?") ? "&" : "?") + fields.joined(separator: "&")
    guard let url = HTTPURL(text) else { throw .status(.badArgument, "the page's URL is too long") }
    return url
  }

  private func reply(_ back: BrowserReturn, verifier: SecureBox?) throws(CallEnd) -> Reply {
    var parameters: [(name: String, value: Reply.Value)] = []
    for (name, value) in back.parameters {
      if ["code", "id_token", "access_token"].contains(name) {
        parameters.append((name, .secret(try keep(value))))
      } else if let text = value.bytes.publicText() {
        parameters.append((name, .text(text)))
      } else {
        throw .status(.badArgument, "the redirect's parameters are not UTF-8")
      }
    }
    var fields: [(name: String, value: Reply.Value)] = [
      ("parameters", .list(parameters)), ("redirectURI", .text(back.redirectURI)),
    ]
    if let verifier { fields.append(("codeVerifier", .secret(try keep(verifier)))) }
    return Reply(status: .ok, fields: fields)
  }

  private static func randomText(bytes count: Int) throws(Failure) -> SecureBox {
    let bytes = try SecureBytes.random(count: count)
    return SecureBox(try unsafe bytes.withBytes { bytes throws(Failure) in try unsafe Base64URL.encodeSecret(bytes) })
  }

  /// BASE64URL(SHA256(verifier)) of RFC 7636 4.2.
  static func challenge(of verifier: SecureBox) -> String {
    unsafe verifier.bytes.withBytes { unsafe Base64URL.encode(SHA256.hash($0)) }
  }
}
