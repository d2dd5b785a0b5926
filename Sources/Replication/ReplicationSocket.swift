internal import Basics
public import HTTPClient
internal import SecureMemory
public import WebSocket

/// Asks a gateway for a replication's WebSocket as LiteCore does, and reads the answer as strictly.
public struct ReplicationSocket {
  /// The connection, when the gateway agreed.
  public let socket: WebSocket?
  /// Why there is none, in LiteCore's numbers.
  public let error: ReplicatorError?
  /// The status of the answer; nil when there was none.
  public let status: Int?
  /// The subprotocol that the gateway chose.
  public let subprotocol: String?
  /// What the gateway calls the connection in its log.
  public let correlationID: String?
  /// The cookies that the answer sets, a refusal's too.
  public let cookies: [ReplicationCookie]

  /// Asks. Throws when it was cancelled here, or cannot be asked at all (a header that cannot be sent); everything that a
  /// server or the network does is in the result.
  public static func open(
    _ endpoint: ReplicationEndpoint, fields: [HTTPRequest.Field], client: HTTPClient,
    protocols: [String] = ReplicatorRules.subprotocols, cancellation: [Int32] = []
  ) throws(HTTPFailure) -> ReplicationSocket {
    let handshake = ClientHandshake(protocols: protocols)
    var client = client
    client.connectTimeout = min(client.connectTimeout, ReplicatorRules.connectTimeout * 1_000)
    client.timeout = min(client.timeout, ReplicatorRules.connectTimeout * 1_000)
    let request = HTTPRequest(
      .get, endpoint.socketURL, fields: handshake.fields.map { HTTPRequest.Field($0.name, $0.value) } + fields)
    let upgrade: HTTPUpgrade
    do throws(HTTPFailure) {
      upgrade = try client.upgrade(request, to: "websocket", cancellation: cancellation)
    } catch {
      guard error.kind != .request, let why = ReplicatorError(error) else { throw error }
      return ReplicationSocket(socket: nil, error: why, status: nil, subprotocol: nil, correlationID: nil, cookies: [])
    }
    return ReplicationSocket(upgrade, handshake)
  }

  private init(
    socket: WebSocket?, error: ReplicatorError?, status: Int?, subprotocol: String?, correlationID: String?,
    cookies: [ReplicationCookie]
  ) {
    self.socket = socket
    self.error = error
    self.status = status
    self.subprotocol = subprotocol
    self.correlationID = correlationID
    self.cookies = cookies
  }

  private init(_ upgrade: HTTPUpgrade, _ handshake: ClientHandshake) {
    let response = upgrade.response
    let status = response.status
    var chosen: String?
    var why: ReplicatorError?
    if let connection = upgrade.connection {
      do throws(ClientHandshake.Fault) {
        chosen = try handshake.check(.liteCore) { response.texts($0) }
        // LiteCore offers one and will have it.
        if chosen == nil { throw .subprotocol }
      } catch { why = ReplicationSocket.error(of: error) }
      let socket = why == nil ? WebSocket(ConnectionStream(connection), role: .client) : nil
      self.init(
        socket: socket, error: why, status: status, subprotocol: chosen,
        correlationID: response.text("X-Correlation-ID").map { OutsideText.clean($0, limit: 80) },
        cookies: ReplicationCookie.set(by: response))
      return
    }
    self.init(
      socket: nil,
      error: (200...299).contains(status)
        ? ReplicatorError(.webSocket, 1_002, "the answer is \(status), not 101")
        : ReplicatorError(.webSocket, status, response.refusal), status: status, subprotocol: nil, correlationID: nil,
      cookies: ReplicationCookie.set(by: response))
  }

  private static func error(of fault: ClientHandshake.Fault) -> ReplicatorError {
    switch fault {
    case .noUpgrade:
      ReplicatorError(.webSocket, 1_002, "the 101 has no 'Connection: Upgrade' alone with 'Upgrade: websocket'")
    case .accept: ReplicatorError(.webSocket, 1_002, "the 101 does not answer the handshake's key")
    case .extensions: ReplicatorError(.webSocket, 1_002, "the 101 turns on an extension that was not offered")
    case .subprotocol: ReplicatorError(.webSocket, 403, "the 101 chooses no subprotocol that was offered")
    }
  }
}

extension HTTPResponse {
  /// The values of a field that is not secret.
  fileprivate func texts(_ name: String) -> [String] {
    indexes(of: name).compactMap { index in
      unsafe withValue(at: index) { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Why a server refuses: the `reason` of a JSON body, a body of plain text, or nothing but the status.
  fileprivate var refusal: String {
    let type = text("Content-Type")?.lowercased() ?? ""
    let bytes = unsafe body.withBytes { unsafe Array($0.prefix(8_192)) }
    if type.hasPrefix("application/json"), let reason = (try? JSONReader.value(bytes))?["reason"]?.string,
      !reason.isEmpty
    {
      return OutsideText.clean(reason)
    }
    if type.hasPrefix("text/plain") {
      let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
      if !line.isEmpty { return OutsideText.clean(bytes: line) }
    }
    return "HTTP status \(status)"
  }
}

/// A connection of the HTTP client's under a WebSocket.
final class ConnectionStream: WebSocketStream {
  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) { self.connection = connection }

  func read(until deadline: MonotonicInstant) -> [UInt8]? { connection.read(until: deadline) }
  func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool { connection.write(bytes, until: deadline) }
}
