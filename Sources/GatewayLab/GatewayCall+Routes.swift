internal import HTTPServer
internal import Synchronization

extension GatewayCall {
  mutating func route() throws(GatewayError) -> ServerResponse {
    let segments = request.target.segments
    let database = segments.first ?? ""
    if segments == [""] { return try only(["GET", "HEAD"]) { (call) throws(GatewayError) in try call.root() } }
    if segments == ["_ping"] {
      headers.add("Content-Type", "text/plain; charset=UTF-8")
      return try only(["GET", "HEAD"]) { (call) throws(GatewayError) in
        ServerResponse(status: 200, headers: call.headers, text: "OK")
      }
    }
    guard isName(database) else { throw .unknownURL }
    if segments.count == 1 {
      return try only(["GET", "HEAD"]) { (call) throws(GatewayError) in call.moved(to: call.request.target.path + "/") }
    }
    guard segments.count == 2 else {
      // A slash too many is sent back to the path without it.
      let isSession = segments.count == 3 && segments[1] == "_session" && segments[2].isEmpty
      guard isSession else { throw .unknownURL }
      return moved(to: String(request.target.path.dropLast()))
    }
    switch segments[1] {
    case "": return try only(["GET", "HEAD"]) { (call) throws(GatewayError) in try call.databaseRoot(database) }
    case "_session":
      return try only(["GET", "HEAD", "POST", "DELETE"]) { (call) throws(GatewayError) in try call.session(database) }
    case "_blipsync": return try only(["GET"]) { (call) throws(GatewayError) in try call.replication(database) }
    case "_oidc", "_oidc_challenge", "_oidc_callback", "_oidc_refresh":
      return try only(["GET"]) { (call) throws(GatewayError) in try call.openID(database) }
    case let id where isName(id):
      return try only(["GET", "HEAD"]) { (call) throws(GatewayError) in try call.document(database, id) }
    default: throw .unknownURL
    }
  }

  private func isName(_ segment: String) -> Bool {
    guard let first = segment.utf8.first else { return false }
    return first != 0x5F && !segment.utf8.contains(0x2F)
  }

  /// Goes on when the method is one of these; else says what the gateway says instead.
  private mutating func only(
    _ methods: [String], _ goOn: (inout GatewayCall) throws(GatewayError) -> ServerResponse
  ) throws(GatewayError) -> ServerResponse {
    if methods.contains(request.method) { return try goOn(&self) }
    headers.add("Allow", methods.joined(separator: ", "))
    if request.method == "OPTIONS" { return ServerResponse(status: 204, headers: headers) }
    throw GatewayError(405, "")
  }

  private func moved(to path: String) -> ServerResponse {
    var headers = headers
    headers.add("Location", path + String(request.target.raw.drop { $0 != "?" }))
    return ServerResponse(status: 301, headers: headers)
  }

  private func root() throws(GatewayError) -> ServerResponse {
    try json(#"{"couchdb":"Welcome","persistent_config":true,"vendor":{"name":"Couchbase Sync Gateway","version":""}}"#)
  }

  private var stateName: String {
    if isOffline { return "Offline" }
    return switch options.databaseState {
    case .online: "Online"
    case .offline: "Offline"
    case .starting: "Starting"
    }
  }

  private mutating func databaseRoot(_ database: String) throws(GatewayError) -> ServerResponse {
    _ = try enter(database, .regular, worksOffline: true)
    return try json(
      #"{"committed_update_seq":1,"compact_running":false,"db_name":\#(quotedAsGo(database)),"disk_format_version":0,"#
        + #""instance_start_time":0,"purge_seq":0,"state":"\#(stateName)","update_seq":1}"#)
  }

  private mutating func document(_ keyspace: String, _ id: String) throws(GatewayError) -> ServerResponse {
    let parts = keyspace.split(separator: ".", maxSplits: 1).map(String.init)
    let principal = try enter(parts.first ?? keyspace, .regular)
    if parts.count == 2 {
      guard parts[1] == "_default.users" else { throw GatewayError(404, "keyspace \(keyspace) not found") }
      return try profile(of: id, for: principal, id)
    }
    if id.hasPrefix("users:"), options.profiles[String(id.dropFirst(6))] != nil {
      return try profile(of: String(id.dropFirst(6)), for: principal, id)
    }
    guard let document = gateway.state.withLock({ $0.documents[id] }) else { throw .missing }
    return try json(document)
  }

  // A user's profile is in a channel of their own.
  private func profile(of user: String, for principal: Principal, _ id: String) throws(GatewayError) -> ServerResponse {
    guard let employee = options.profiles[user] else { throw .missing }
    guard principal == .user(user) else { throw GatewayError(403, "forbidden") }
    return try json(
      #"{"_id":\#(quotedAsGo(id)),"_rev":"1-0","employeeId":\#(quotedAsGo(employee)),"type":"users"}"#)
  }
}
