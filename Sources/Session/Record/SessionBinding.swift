internal import Basics

/// The place that credentials belong to. They are sent only while the settings still name the same one.
public struct SessionBinding: Hashable, Sendable {
  /// The strategy's name.
  public let strategy: String
  /// The OpenID Connect issuer, as the settings give it; nil without one.
  public let issuer: String?
  /// The OAuth client id; nil without one.
  public let clientId: String?
  /// The gateway's origin, in the form of ``HTTPOrigin``; nil without one.
  public let gateway: String?
  /// The gateway's database; nil without one.
  public let database: String?
  /// The origin where the settings have refresh tokens revoked, in the form of ``HTTPOrigin``; nil without one, and where it is
  /// the issuer's own.
  public let revocation: String?
  /// The other servers that the strategy's manifest names by settings: `NAME=ORIGIN`, a blank between two; nil without any.
  public let servers: String?

  /// A place. Empty texts count as none.
  public init(
    strategy: String, issuer: String?, clientId: String?, gateway: String?, database: String?,
    revocation: String? = nil,
    servers: String? = nil
  ) {
    func present(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
    self.strategy = strategy
    self.issuer = present(issuer)
    self.clientId = present(clientId)
    self.gateway = present(gateway)
    self.database = present(database)
    self.revocation = present(revocation)
    self.servers = present(servers)
  }

  private static let heading = "mfs-binding 1"
  private static let names = ["strategy", "issuer", "client-id", "gateway", "database", "revocation", "servers"]
  private var fields: [String?] { [strategy, issuer, clientId, gateway, database, revocation, servers] }

  /// The form in which it is stored as `auth.binding`: a heading, then one `name=value` a line, what is absent left out.
  /// Nil when a value holds a line end, which no setting that is any good does.
  public var text: String? {
    var lines = [SessionBinding.heading]
    for (name, value) in zip(SessionBinding.names, fields) {
      guard let value else { continue }
      guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return nil }
      lines.append("\(name)=\(value)")
    }
    return lines.joined(separator: "\n")
  }

  /// Reads the stored form; nil for anything else, unknown and repeated names included.
  public init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == SessionBinding.heading else { return nil }
    var values: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let equals = line.firstIndex(of: "=") else { return nil }
      let name = String(line[..<equals])
      guard SessionBinding.names.contains(name), values[name] == nil else { return nil }
      values[name] = String(line[line.index(after: equals)...])
    }
    guard let strategy = values["strategy"] else { return nil }
    self.init(
      strategy: strategy, issuer: values["issuer"], clientId: values["client-id"], gateway: values["gateway"],
      database: values["database"], revocation: values["revocation"], servers: values["servers"])
  }

  /// The names of what differs, for people.
  public func differences(from other: SessionBinding) -> [String] {
    let shown = [
      "the strategy", "the issuer", "the client id", "the gateway", "the database", "the revocation endpoint",
      "the servers of the strategy",
    ]
    return zip(shown, zip(fields, other.fields)).filter { $0.1.0 != $0.1.1 }.map(\.0)
  }
}

extension SessionBinding: CustomStringConvertible {
  /// For people: `basic at https://sync.example.com, database mfs`. Of URLs only the origin is shown.
  public var description: String {
    var parts: [String] = []
    if let gateway { parts.append(OutsideText.clean(gateway)) }
    if let database { parts.append("database \(OutsideText.clean(database))") }
    if let issuer { parts.append("issuer \(SessionBinding.origin(of: issuer))") }
    if let clientId { parts.append("client \(OutsideText.clean(clientId))") }
    if let revocation { parts.append("revocation at \(OutsideText.clean(revocation))") }
    if let servers { parts.append("servers \(OutsideText.clean(servers, limit: 400))") }
    let name = OutsideText.clean(strategy, limit: 64)
    return parts.isEmpty ? "\(name) without a server" : "\(name) at " + parts.joined(separator: ", ")
  }

  // The issuer is free text to us: what follows the host, and a user's name before it, is not shown.
  private static func origin(of url: String) -> String {
    guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return "that is not a URL" }
    let authority = url[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return OutsideText.clean("\(url[..<colon])://\(host)")
  }
}
