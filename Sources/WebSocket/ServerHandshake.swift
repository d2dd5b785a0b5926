/// What a client asks for with its opening handshake, checked as RFC 6455 4.2.1 asks of a server.
public struct ServerHandshake: Sendable {
  /// Why it cannot be accepted.
  public enum Fault: Error, Equatable, Sendable {
    /// It is no request for a WebSocket at all: `Connection` or `Upgrade` does not say so.
    case noUpgrade
    /// Another version than 13.
    case version(String)
    /// The key is missing, doubled or none.
    case key
  }

  /// The client's key.
  public let key: WebSocketKey
  /// The subprotocols that it offers, in its order.
  public let protocols: [String]

  /// Reads the fields of a `GET`; `values` gives the values of all fields of a name, whatever its case.
  public init(_ values: (String) -> [String]) throws(Fault) {
    guard ServerHandshake.hasToken("upgrade", values("Connection")),
      ServerHandshake.hasToken("websocket", values("Upgrade"))
    else { throw .noUpgrade }
    let versions = values("Sec-WebSocket-Version")
    guard versions == ["13"] else { throw .version(versions.joined(separator: ", ")) }
    let keys = values("Sec-WebSocket-Key")
    guard keys.count == 1, let text = keys.first, let key = WebSocketKey(text) else { throw .key }
    self.key = key
    protocols = ServerHandshake.list(values("Sec-WebSocket-Protocol"))
  }

  /// The items of fields that hold lists separated by commas, without outer blanks.
  public static func list(_ values: [String]) -> [String] {
    values.flatMap { $0.split(separator: ",") }.map { item in
      String(item.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }.filter { !$0.isEmpty }
  }

  /// Whether a list holds a token, whatever its case.
  static func hasToken(_ token: String, _ values: [String]) -> Bool {
    list(values).contains { $0.lowercased() == token }
  }
}
