internal import Basics
public import HTTPServer
internal import Synchronization

extension IdentityProvider {
  /// Answers a request, wrongly if a fault applies to it.
  public func respond(to request: ServerRequest) -> ServerResponse {
    var call = ProviderCall(provider: self, request: request)
    guard let endpoint = call.endpoint, let fault = nextFault(.request, at: endpoint) else {
      return record(call.run(), call)
    }
    return record(respond(&call, fault), call)
  }

  private func respond(_ call: inout ProviderCall, _ fault: ProviderFault) -> ServerResponse {
    switch fault.kind {
    case .slow:
      var response = call.run()
      response.delay = Double(fault.delayMilliseconds) / 1_000
      return response
    case .cutAnswer: return call.run().cutInTwo()
    case .cutConnection: return .cut
    case .garbage:
      return ServerResponse(
        status: 200, headers: ["Content-Type": "application/json"], body: .bytes(randomBytes(4_096)))
    case .hugeBody: return .huge(fault.size, headers: ["Content-Type": "application/json"])
    case .redirect:
      return ServerResponse(status: 307, headers: ["Location": fault.location + call.request.target.raw])
    case .unavailable, .tooManyRequests:
      return ServerResponse(
        status: fault.kind == .unavailable ? 503 : 429,
        headers: ["Content-Type": "text/plain", "Retry-After": String(fault.retryAfter)], text: "Try again later.\n")
    default: return ServerResponse(status: 500, headers: ["Content-Type": "text/plain"], text: "The lab says so.\n")
    }
  }

  private func record(_ response: ServerResponse, _ call: ProviderCall) -> ServerResponse {
    let isCut = response.connection == .cutBeforeHead
    let record = ProviderCallRecord(
      method: OutsideText.clean(call.request.method, limit: 20),
      path: OutsideText.clean(call.request.target.path, limit: 200), status: isCut ? 0 : response.status,
      outcome: call.outcome)
    state.withLock { state in
      if state.calls.count >= 10_000 { state.calls.removeFirst(1_000) }
      state.calls.append(record)
    }
    return response
  }
}
