internal import Basics
internal import YAML

extension GatewayOptions {
  /// The fields of a scenario file that configure the gateway, but for the database's name, which stays while a lab runs.
  static let fields = [
    "guest", "password-auth", "www-authenticate", "unknown-database", "login-origins", "server", "cookie", "session",
    "disabled-users", "profiles", "database-state", "origins", "replication", "oidc",
  ]

  /// Takes over what the fields say. What they leave out stays as it is.
  mutating func read(_ fields: YAMLFields) throws(Failure) {
    if let node = fields.optional("guest") { guest = try node.bool() }
    if let node = fields.optional("password-auth") { passwordAuth = try node.bool() }
    if let node = fields.optional("www-authenticate") { wwwAuthenticate = try node.bool() }
    if let node = fields.optional("unknown-database") { unknownDatabase = try node.oneOf() }
    if let node = fields.optional("login-origins") { loginOrigins = try node.strings() }
    if let node = fields.optional("server") { server = try Scenario.fieldText(node) }
    if let node = fields.optional("disabled-users") { disabledUsers = Set(try node.texts()) }
    for entry in try fields.optional("profiles")?.entries() ?? [] { profiles[entry.name] = try entry.value.text() }
    if let node = fields.optional("database-state") { databaseState = try node.oneOf() }
    if let node = fields.optional("origins") { origins = try node.strings() }
    if let node = fields.optional("replication") { try readReplication(node) }
    if let node = fields.optional("cookie") { try readCookie(node) }
    if let node = fields.optional("session") { try readSession(node) }
    if let node = fields.optional("oidc") { try openID.read(node) }
  }

  private mutating func readCookie(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "the cookie", ["name", "http-only", "secure", "same-site"])
    if let node = fields.optional("name") { cookieName = try GatewayOptions.readName(node) }
    if let node = fields.optional("http-only") { cookieHTTPOnly = try node.bool() }
    if let node = fields.optional("secure") { cookieSecure = try node.bool() }
    if let node = fields.optional("same-site") { cookieSameSite = try node.oneOf() }
  }

  private mutating func readSession(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "the session", ["ttl", "body", "expires"])
    if let node = fields.optional("ttl") { sessionTTL = try node.integer(in: 1...31_536_000) }
    if let node = fields.optional("body") { sessionBody = try node.oneOf() }
    if let node = fields.optional("expires") { expiresFormat = try node.oneOf() }
  }

  private mutating func readReplication(_ node: YAMLNode) throws(Failure) {
    let fields = try node.fields(of: "the replication", ["limit", "subprotocols"])
    if let node = fields.optional("limit") { replicationLimit = Int(try node.integer(in: 0...1_000_000)) }
    if let node = fields.optional("subprotocols") {
      subprotocols = []
      for version in try node.items() { subprotocols.append(Int(try version.integer(in: 1...99))) }
    }
  }

  static func databaseName(_ node: YAMLNode) throws(Failure) -> String {
    let name = try node.text()
    guard let first = name.utf8.first, name.utf8.count <= 64,
      name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D }),
      (0x61...0x7A).contains(first)
    else { throw node.failure("this is no database name", hint: "use a-z 0-9 _ - and begin with a letter") }
    return name
  }

  private static func readName(_ node: YAMLNode) throws(Failure) -> String {
    let name = try node.text()
    guard HTTPToken.isValid(name), name.utf8.count <= 128 else {
      throw node.failure("this is no cookie name", hint: "use letters, digits and !#$%&'*+-.^_`|~")
    }
    return name
  }
}
