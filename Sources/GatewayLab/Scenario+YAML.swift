public import Basics
public import YAML

extension Scenario {
  private static let fields = [
    "version", "database", "guest", "password-auth", "www-authenticate", "unknown-database", "login-origins", "server",
    "cookie", "session", "disabled-users", "profiles", "oidc", "faults", "idp",
  ]

  /// Reads a scenario file of at most a mebibyte. Throws ``FailureCode/configuration`` with the place and a next step,
  /// and what ``YAMLDocument/read(_:limits:)`` throws.
  public static func read(_ path: String) throws(Failure) -> Scenario { try Scenario(try YAMLDocument.read(path)) }

  /// Reads a scenario from a parsed file. Unknown fields are errors.
  public init(_ root: YAMLNode) throws(Failure) {
    let fields = try root.fields(of: "a scenario", Scenario.fields)
    _ = try fields.required("version").integer(in: 1...1)
    var options = GatewayOptions()
    if let node = fields.optional("database") { options.database = try Scenario.databaseName(node) }
    if let node = fields.optional("guest") { options.guest = try node.bool() }
    if let node = fields.optional("password-auth") { options.passwordAuth = try node.bool() }
    if let node = fields.optional("www-authenticate") { options.wwwAuthenticate = try node.bool() }
    if let node = fields.optional("unknown-database") { options.unknownDatabase = try node.oneOf() }
    if let node = fields.optional("login-origins") { options.loginOrigins = try node.strings() }
    if let node = fields.optional("server") { options.server = try Scenario.fieldText(node) }
    if let node = fields.optional("disabled-users") { options.disabledUsers = Set(try node.texts()) }
    for entry in try fields.optional("profiles")?.entries() ?? [] {
      options.profiles[entry.name] = try entry.value.text()
    }
    if let node = fields.optional("cookie") { try Scenario.readCookie(node, into: &options) }
    if let node = fields.optional("session") { try Scenario.readSession(node, into: &options) }
    if let node = fields.optional("oidc") { options.openID = try OpenIDOptions(node) }
    self.options = options
    for node in try fields.optional("faults")?.items() ?? [] { faults.append(try Fault(node)) }
    if let node = fields.optional("idp") { provider = try ProviderScenario(node) }
  }

  private static func readCookie(_ node: YAMLNode, into options: inout GatewayOptions) throws(Failure) {
    let fields = try node.fields(of: "the cookie", ["name", "http-only", "secure", "same-site"])
    if let node = fields.optional("name") { options.cookieName = try cookieName(node) }
    if let node = fields.optional("http-only") { options.cookieHTTPOnly = try node.bool() }
    if let node = fields.optional("secure") { options.cookieSecure = try node.bool() }
    if let node = fields.optional("same-site") { options.cookieSameSite = try node.oneOf() }
  }

  private static func readSession(_ node: YAMLNode, into options: inout GatewayOptions) throws(Failure) {
    let fields = try node.fields(of: "the session", ["ttl", "body", "expires"])
    if let node = fields.optional("ttl") { options.sessionTTL = try node.integer(in: 1...31_536_000) }
    if let node = fields.optional("body") { options.sessionBody = try node.oneOf() }
    if let node = fields.optional("expires") { options.expiresFormat = try node.oneOf() }
  }

  private static func databaseName(_ node: YAMLNode) throws(Failure) -> String {
    let name = try node.text()
    guard let first = name.utf8.first, name.utf8.count <= 64,
      name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }),
      (0x61...0x7A).contains(first)
    else { throw node.failure("this is no database name", hint: "use a-z 0-9 _ - and begin with a letter") }
    return name
  }

  private static func cookieName(_ node: YAMLNode) throws(Failure) -> String {
    let name = try node.text()
    guard isToken(name), name.utf8.count <= 128 else {
      throw node.failure("this is no cookie name", hint: "use letters, digits and !#$%&'*+-.^_`|~")
    }
    return name
  }

  /// A text that can stand in a header field.
  static func fieldText(_ node: YAMLNode) throws(Failure) -> String {
    let text = try node.nonEmptyString()
    guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw node.failure("this cannot stand in a header field", hint: "use printable ASCII, at most 2000 characters")
    }
    return text
  }
}

extension Fault {
  init(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "a fault", ["fault", "on", "after", "times", "delay-ms", "size", "location"])
    self.init(try fields.required("fault").oneOf())
    for node in try fields.optional("on")?.items() ?? [] { operations.insert(try node.oneOf()) }
    if let node = fields.optional("after") { after = Int(try node.integer(in: 0...1_000_000)) }
    if let node = fields.optional("times") { times = Int(try node.integer(in: 1...1_000_000)) }
    if let node = fields.optional("delay-ms") { delayMilliseconds = Int(try node.integer(in: 0...3_600_000)) }
    if let node = fields.optional("size") { size = try node.integer(in: 0...(1 << 40)) }
    if let node = fields.optional("location") { location = try Scenario.fieldText(node) }
  }
}

extension YAMLNode {
  /// One of an enumeration's words; capital letters do not count.
  func oneOf<T: RawRepresentable<String> & CaseIterable>() throws(Failure) -> T {
    let word = try word(of: T.allCases.map { $0.rawValue.lowercased() })
    guard let value = T.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
      throw Failure(.bug, "the word '\(word)' was accepted and has no meaning")
    }
    return value
  }
}

/// Whether a text is a token (RFC 9110 5.6.2).
func isToken(_ text: some StringProtocol) -> Bool {
  func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
  return !text.isEmpty && text.utf8.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
}
