/// What a client asks for, and its check of the answer (RFC 6455 4.1).
public struct ClientHandshake: Sendable {
  /// How strictly the answer is read.
  public enum Strictness: Sendable {
    /// As RFC 6455 says: `Connection` may be a list, and case does not count.
    case standard
    /// As LiteCore's built-in socket does: `Connection` is `upgrade` alone, in any case, and `Upgrade` is `websocket` in
    /// lower case.
    case liteCore
  }

  /// What is wrong with an answer of status 101.
  public enum Fault: Error, Equatable, Sendable {
    /// `Connection` or `Upgrade` is missing or not as it must be.
    case noUpgrade
    /// `Sec-WebSocket-Accept` does not answer the key: the server has not understood the request.
    case accept
    /// A subprotocol that was not offered, or more than one.
    case subprotocol
    /// An extension, although none was offered.
    case extensions
  }

  /// The key.
  public let key: WebSocketKey
  /// The subprotocols that are offered, the preferred one first.
  public let protocols: [String]

  /// A handshake with a new key.
  public init(protocols: [String], key: WebSocketKey = WebSocketKey()) {
    self.key = key
    self.protocols = protocols
  }

  /// The request's own fields, beside `Host`, `Connection` and `Upgrade`.
  public var fields: [(name: String, value: String)] {
    let offer = protocols.isEmpty ? [] : [("Sec-WebSocket-Protocol", protocols.joined(separator: ", "))]
    return [("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key.text)] + offer
  }

  /// Checks an answer of status 101; `values` gives the values of all fields of a name, whatever its case. Returns the
  /// subprotocol that the server chose; nil when it chose none, which a client that offered some may have to refuse.
  public func check(_ strictness: Strictness, _ values: (String) -> [String]) throws(Fault) -> String? {
    let connection = values("Connection"), upgrade = values("Upgrade")
    let isUpgraded =
      switch strictness {
      case .standard:
        ServerHandshake.hasToken("upgrade", connection) && upgrade.map { $0.lowercased() } == ["websocket"]
      case .liteCore: connection.map { $0.lowercased() } == ["upgrade"] && upgrade == ["websocket"]
      }
    guard isUpgraded else { throw .noUpgrade }
    let accept = key.accept
    guard !accept.isEmpty, values("Sec-WebSocket-Accept") == [accept] else { throw .accept }
    guard values("Sec-WebSocket-Extensions").isEmpty else { throw .extensions }
    let chosen = values("Sec-WebSocket-Protocol")
    guard chosen.count <= 1 else { throw .subprotocol }
    guard let name = chosen.first else { return nil }
    guard protocols.contains(name) else { throw .subprotocol }
    return name
  }
}
