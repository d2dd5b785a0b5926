public import HTTPClient

/// Where a replicator connects to: a gateway and one of its databases.
public struct ReplicationEndpoint: Hashable, Sendable {
  /// The gateway.
  public let gateway: HTTPOrigin
  /// The database's name.
  public let database: String
  private let socket: HTTPURL

  /// An endpoint; nil when the gateway is no URL of scheme wss, ws, https or http, or the database cannot stand in a path.
  public init?(gateway: String, database: String) {
    let isName = database.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "_$()+-.~".utf8.contains(byte)
      }
    }
    guard let origin = HTTPOrigin(of: gateway), !database.isEmpty, isName, database != ".", database != "..",
      let socket = HTTPURL("\(origin)/\(database)/_blipsync")
    else { return nil }
    self.gateway = origin
    self.database = database
    self.socket = socket
  }

  /// What a replicator is configured with: `wss://host:4984/mfs`.
  public var url: String {
    (gateway.scheme == "https" ? "wss" : "ws") + gateway.description.dropFirst(gateway.scheme.count) + "/\(database)"
  }
  /// Where its WebSocket is asked for.
  public var socketURL: HTTPURL { socket }
}
