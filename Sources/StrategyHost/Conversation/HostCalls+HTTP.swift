internal import Basics
internal import HTTPClient
internal import SecureMemory
internal import StrategyWire

// Requests to the servers that the manifest names.
extension HostCalls {
  func http(_ request: PluginRecord) throws(CallEnd) -> Reply {
    guard let word = request.text("method"), let method = HTTPRequest.Method(rawValue: word) else {
      throw .status(.badArgument, "`method` is not one of GET, POST, PUT, PATCH, DELETE")
    }
    guard let text = request.text("url"), let url = HTTPURL(text) else {
      throw .status(.badArgument, "`url` is not an absolute http or https URL in plain ASCII")
    }
    guard grants.allows(method, url.origin) else {
      throw .status(.denied, "\(method.rawValue) to \(url.origin)")
    }
    requests += 1
    guard requests <= StrategyLimits.requests else {
      throw .fatal(Failure(.pluginFailed, "it made more than \(StrategyLimits.requests) requests"))
    }
    var outgoing = HTTPRequest(method, url, fields: try fields(request["headers"]), body: try body(request["body"]))
    outgoing.query = try query(request.list("query"))
    // A silent server is not the plugin's fault, and the plugin must be left the time to say so.
    let left = Int(deadline.millisecondsLeft)
    outgoing.timeout = max(1, left - min(StrategyLimits.lastWord, left / 4))
    do throws(HTTPFailure) {
      let response = try client.send(outgoing, cancellation: cancellation)
      hideCookies(response)
      return .ok(
        ("status", .integer(Int64(response.status))), ("headers", .headers(response)), ("body", .body(response)))
    } catch { throw .status(HostCalls.status(error.kind), error.message) }
  }

  private func fields(_ value: PluginValue?) throws(CallEnd) -> [HTTPRequest.Field] {
    guard let value else { return [] }
    guard case .list(let list) = value else { throw .status(.badArgument, "`headers` must be a list") }
    var result: [HTTPRequest.Field] = []
    for (name, value) in list.fields {
      switch value {
      case .text(let text):
        // A credential as a text would be a secret that the plugin holds in the open.
        guard !["authorization", "cookie"].contains(name.lowercased()) else {
          throw .status(.badArgument, "the header \(name.lowercased()) must be a secret, not a text")
        }
        result.append(HTTPRequest.Field(name, text))
      case .secret(let handle): result.append(HTTPRequest.Field(name, secret: try secret(handle)))
      default: throw .status(.badArgument, "a header is neither a text nor a secret")
      }
      if let why = HostCalls.refusal(of: name.lowercased()) { throw .status(.badArgument, why) }
    }
    return result
  }

  // What the client keeps for itself it refuses by itself.
  private static func refusal(of name: String) -> String? {
    if ["origin", "referer", "access-control-request-headers", "access-control-request-method"].contains(name)
      || name.hasPrefix("sec-")
    {
      return "the header \(name) belongs to browsers"
    }
    // A server that heeds one carries out another method than the one that was granted.
    if ["x-http-method", "x-http-method-override", "x-method-override"].contains(name) {
      return "the header \(name) asks for another method than the request's"
    }
    return nil
  }

  // It may hold what is secret, and so does not pass through the text of a URL.
  private func query(_ list: PluginRecord?) throws(CallEnd) -> SecureBox? {
    guard let list, !list.fields.isEmpty else { return nil }
    let text = try fatally { () throws(Failure) in try SecureBuffer(limit: StrategyLimits.query) }
    for (index, field) in list.fields.enumerated() {
      try appendField(field.name, field.value, to: text, isFirst: index == 0)
    }
    return try contents(text)
  }

  private func body(_ value: PluginValue?) throws(CallEnd) -> SecureBox? {
    switch value {
    case nil: nil
    case .bytes(let bytes): bytes
    case .secret(let handle): try secret(handle)
    default: throw .status(.badArgument, "`body` is neither bytes nor a secret")
    }
  }

  // What a server sets as a cookie is most likely the session; it must not be seen in the plugin's log.
  private func hideCookies(_ response: HTTPResponse) {
    for index in response.indexes(of: "set-cookie") {
      let value = unsafe response.withValue(at: index) { bytes -> SecureBox? in
        guard let equals = unsafe bytes.firstIndex(of: 0x3D) else { return nil }
        let end = unsafe bytes[equals...].firstIndex(of: 0x3B) ?? bytes.count
        let cookie = unsafe UnsafeRawBufferPointer(rebasing: bytes[(equals + 1)..<end])
        guard let copy = try? unsafe SecureBytes(copying: cookie) else { return nil }
        return SecureBox(copy)
      }
      if let cookie = value ?? nil { secrets.hide(cookie) }
    }
  }

  private static func status(_ kind: HTTPFailure.Kind) -> HostStatus {
    switch kind {
    case .request: .badArgument
    case .network: .network
    case .timeout: .timeout
    case .trust: .untrusted
    case .protocolViolation: .protocolViolation
    case .tooLarge: .tooLarge
    case .cancelled: .cancelled
    }
  }
}
