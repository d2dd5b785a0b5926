internal import Basics
internal import HTTPServer
internal import Synchronization
internal import WebSocket

// `_blipsync`: who asks, whether there is room, and the opening handshake, by the texts of Sync Gateway and of the
// libraries that it leaves the handshake to.
extension GatewayCall {
  mutating func replication(_ database: String) throws(GatewayError) -> ServerResponse {
    let principal = try enter(database, .regular, isReplication: true)
    guard let place = gateway.replications.reserve(limit: options.replicationLimit) else {
      throw GatewayError(503, "Replication limit exceeded. Try again later.")
    }
    let handshake: ServerHandshake
    do throws(ServerHandshake.Fault) {
      handshake = try ServerHandshake { request.headers.all($0) }
    } catch {
      switch error {
      case .noUpgrade: throw GatewayError(426, "Can't upgrade this request to websocket connection")
      case .version(let version):
        headers.add("Sec-WebSocket-Version", "13")
        return plain(400, "unsupported WebSocket protocol version (only 13 is supported): \(quotedAsGo(version))")
      case .key where request.headers.first("Sec-WebSocket-Key") == nil:
        return plain(400, "WebSocket protocol violation: missing Sec-WebSocket-Key")
      case .key: return plain(400, "WebSocket protocol violation: invalid Sec-WebSocket-Key")
      }
    }
    let known = options.subprotocols.map { "BLIP_3+CBMobile_\($0)" }
    // The gateway's own preference counts, not the client's order.
    guard let chosen = known.first(where: { handshake.protocols.contains($0) }) else {
      return plain(500, "I only speak \(known.joined(separator: ",")) protocols")
    }
    if let refusal = originRefusal { return plain(403, refusal) }
    let correlationID = Hexadecimal.encode(randomBytes(8))
    headers.add("X-Correlation-ID", correlationID)
    headers.add("Sec-WebSocket-Accept", handshake.key.accept)
    headers.add("Sec-WebSocket-Protocol", chosen)
    let replication = OpenReplication(
      user: principal.name, client: request.target.queryValue("client") == "sgr2" ? "sgr2" : "cbl2",
      subprotocol: chosen, correlationID: correlationID)
    let replications = gateway.replications, fate = fate
    return .upgrade(to: "websocket", headers: headers) { connection in
      replications.run(replication, in: place, on: connection, fate)
    }
  }

  private func plain(_ status: Int, _ text: String) -> ServerResponse {
    var headers = headers
    headers.add("Content-Type", "text/plain; charset=utf-8")
    headers.add("X-Content-Type-Options", "nosniff")
    return ServerResponse(status: status, headers: headers, text: text + "\n")
  }

  /// Why a browser's page may not replicate from here: its origin is neither the gateway's own nor one that the configuration
  /// names. Nil when it may, and for a client that is no browser.
  private var originRefusal: String? {
    guard let origin = request.headers.first("Origin"), !origin.isEmpty else { return nil }
    let own = request.headers.first("Host") ?? ""
    let host = GatewayCall.host(of: origin)
    let isAllowed =
      host.lowercased() == own.lowercased() || options.origins.contains("*")
      || options.origins.contains { GatewayCall.host(of: $0).lowercased() == host.lowercased() }
    return isAllowed ? nil : "request Origin \(quotedAsGo(host)) is not authorized for Host \(quotedAsGo(own))"
  }

  private static func host(of origin: String) -> String {
    guard let colon = origin.firstIndex(of: ":"), origin[colon...].hasPrefix("://") else { return origin }
    return String(origin[colon...].dropFirst(3).prefix { $0 != "/" })
  }

  /// The one-time session that a browser brings among its subprotocols, since it can set no header of a WebSocket's request.
  var oneTimeSession: String? {
    ServerHandshake.list(request.headers.all("Sec-WebSocket-Protocol"))
      .first { $0.hasPrefix("SyncGatewaySession_") }.map { String($0.dropFirst("SyncGatewaySession_".count)) }
  }

  /// Whom a one-time session belongs to. It is used up, right or wrong for anything else.
  func authenticate(oneTime id: String) throws(GatewayError) -> Principal {
    let now = now
    let found = gateway.state.withLock { state -> (user: String, isAlive: Bool)? in
      guard let session = state.session(id, now: now), session.isOneTime else { return nil }
      state.sessions[id] = nil
      let uuid = session.user.isEmpty ? "" : state.users[session.user]?.sessionUUID
      return (session.user, uuid == session.uuid)
    }
    guard let found else { throw .sessionInvalid }
    guard found.isAlive else { throw .sessionNoLongerValid }
    return found.user.isEmpty ? .guest : .user(found.user)
  }
}
