internal import Basics
internal import JOSE
internal import YAML

extension ProviderScenario {
  private static let fields = [
    "client-id", "redirects", "post-logout-redirects", "algorithm", "pkce", "issuer-parameter", "azp", "employee-ids",
    "refresh", "absent", "ttl", "device-interval", "faults",
  ]

  /// Reads the part `idp` of a scenario file. What it leaves out stays as it is, and its faults count before those that are
  /// there. Unknown fields are errors.
  mutating func read(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "the identity provider", ProviderScenario.fields)
    if let node = fields.optional("client-id") { options.clientID = try Scenario.fieldText(node) }
    if let node = fields.optional("redirects") { options.redirects = try node.strings() }
    if let node = fields.optional("post-logout-redirects") { options.postLogoutRedirects = try node.strings() }
    if let node = fields.optional("algorithm") {
      // By the names of RFC 7518 and RFC 8037, whose capital letters count.
      let name = try node.word(of: JWSAlgorithm.allCases.map(\.rawValue))
      options.algorithm = JWSAlgorithm(named: name) ?? options.algorithm
    }
    if let node = fields.optional("pkce") { options.requiresPKCE = try node.bool() }
    if let node = fields.optional("issuer-parameter") { options.namesIssuer = try node.bool() }
    if let node = fields.optional("azp") { options.namesAuthorizedParty = try node.bool() }
    for entry in try fields.optional("employee-ids")?.entries() ?? [] {
      options.employeeIDs[entry.name] = try entry.value.text()
    }
    if let node = fields.optional("refresh") { try readRefresh(node) }
    if let node = fields.optional("absent") {
      options.absent = Set(try node.items().map { (item) throws(Failure) -> ProviderEndpoint in try item.oneOf() })
    }
    if let node = fields.optional("ttl") { try readLifetimes(node) }
    if let node = fields.optional("device-interval") { options.deviceInterval = try node.integer(in: 1...300) }
    let new = try (fields.optional("faults")?.items() ?? []).map { (node) throws(Failure) in try ProviderFault(node) }
    faults = new + faults
  }

  private mutating func readRefresh(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "the refresh", ["issue", "rotate", "id-token", "empty-rejection"])
    if let node = fields.optional("issue") { options.refreshTokens = try node.oneOf() }
    if let node = fields.optional("rotate") { options.rotatesRefreshTokens = try node.bool() }
    if let node = fields.optional("id-token") { options.refreshBringsIDToken = try node.bool() }
    if let node = fields.optional("empty-rejection") { options.rejectsRefreshWithoutBody = try node.bool() }
  }

  private mutating func readLifetimes(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(
      of: "the ttl", ["id-token", "access-token", "refresh-token", "code", "login", "device-code"])
    func seconds(_ name: String) throws(Failure) -> Int64? {
      try fields.optional(name).map { (node) throws(Failure) in try node.integer(in: 1...31_536_000) }
    }
    options.idTokenLifetime = try seconds("id-token") ?? options.idTokenLifetime
    options.accessTokenLifetime = try seconds("access-token") ?? options.accessTokenLifetime
    options.refreshTokenLifetime = try seconds("refresh-token") ?? options.refreshTokenLifetime
    options.codeLifetime = try seconds("code") ?? options.codeLifetime
    options.loginLifetime = try seconds("login") ?? options.loginLifetime
    options.deviceCodeLifetime = try seconds("device-code") ?? options.deviceCodeLifetime
  }
}

extension ProviderFault {
  init(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(
      of: "a fault of the identity provider",
      ["fault", "on", "after", "times", "delay-ms", "retry-after", "size", "location"])
    self.init(try fields.required("fault").oneOf())
    for node in try fields.optional("on")?.items() ?? [] { endpoints.insert(try node.oneOf()) }
    if let node = fields.optional("after") { after = Int(try node.integer(in: 0...1_000_000)) }
    if let node = fields.optional("times") { times = Int(try node.integer(in: 1...1_000_000)) }
    if let node = fields.optional("delay-ms") { delayMilliseconds = Int(try node.integer(in: 0...3_600_000)) }
    if let node = fields.optional("retry-after") { retryAfter = Int(try node.integer(in: 0...86_400)) }
    if let node = fields.optional("size") { size = try node.integer(in: 0...(1 << 40)) }
    if let node = fields.optional("location") { location = try Scenario.fieldText(node) }
  }
}

extension OpenIDOptions {
  mutating func read(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(
      of: "the gateway's oidc",
      [
        "enabled", "register", "username-claim", "user-prefix", "unreachable", "include-access", "callback-state",
        "session", "callback-url", "provider",
      ])
    if let node = fields.optional("enabled") { isOn = try node.bool() }
    if let node = fields.optional("register") { register = try node.bool() }
    if let node = fields.optional("username-claim") {
      let claim = try node.string()
      usernameClaim = claim.isEmpty ? nil : claim
    }
    if let node = fields.optional("user-prefix") { userPrefix = try node.nonEmptyString() }
    if let node = fields.optional("unreachable") { isUnreachable = try node.bool() }
    if let node = fields.optional("include-access") { includesAccessToken = try node.bool() }
    if let node = fields.optional("callback-state") { hasCallbackState = try node.bool() }
    if let node = fields.optional("session") { makesSession = try node.bool() }
    if let node = fields.optional("callback-url") { callbackURL = try Scenario.fieldText(node) }
    if let node = fields.optional("provider") { providerName = try Scenario.fieldText(node) }
  }
}
