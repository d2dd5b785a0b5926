internal import HTTPServer

extension Gateway {
  func respond(to request: ServerRequest, _ fault: Fault) -> ServerResponse {
    switch fault.kind {
    case .unauthorized: return failed(.invalidLogin)
    case .forbidden: return failed(GatewayError(403, "Forbidden by the lab"))
    case .notFound: return failed(GatewayError(404, "missing"))
    case .internalError: return failed(GatewayError(500, "Internal error: the lab says so"))
    case .tooManyRequests:
      return ServerResponse(
        status: 429, headers: ["Content-Type": "text/plain", "Retry-After": "1"], text: "Too Many Requests\n")
    case .badGateway:
      return ServerResponse(
        status: 502, headers: ["Content-Type": "text/html"],
        text: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n")
    case .databaseOffline: return answer(request, isOffline: true)
    case .slow:
      var response = answer(request)
      response.delay = Double(fault.delayMilliseconds) / 1_000
      return response
    case .cutConnection: return .cut
    case .cutAnswer: return answer(request).cutInTwo()
    case .wrongJSON:
      return succeeded("application/json", .bytes(Array(#"{"authentication_handlers":["default","coo"#.utf8)))
    case .garbage: return succeeded("application/json", .bytes(randomBytes(4_096)))
    case .hugeBody:
      return .huge(fault.size, headers: ["Server": scenario.options.server, "Content-Type": "application/json"])
    case .redirect:
      return ServerResponse(status: 302, headers: ["Server": scenario.options.server, "Location": fault.location])
    case .noCookie:
      let response = answer(request)
      let kept = response.headers.fields.filter { $0.name != "Set-Cookie" }
      return ServerResponse(status: response.status, headers: HeaderFields(kept), body: response.body)
    case .wrongAccept:
      return changingUpgrade(request) { $0.set("Sec-WebSocket-Accept", "c28gc29ycnkgYWJvdXQgdGhpcw==") }
    case .otherSubprotocol: return changingUpgrade(request) { $0.set("Sec-WebSocket-Protocol", "BLIP_3+CBMobile_99") }
    case .connectionList: return changingUpgrade(request) { $0.add("Connection", "x-lab") }
    case .upgradeCase: return changingUpgrade(request) { $0.set("Upgrade", "WebSocket") }
    case .closeSocket:
      return answer(request, fate: SocketFate(end: (.close(fault.closeCode), fault.delayMilliseconds)))
    case .cutSocket: return answer(request, fate: SocketFate(end: (.cut, fault.delayMilliseconds)))
    case .silentSocket: return answer(request, fate: SocketFate(answersPings: false))
    }
  }

  /// The right answer, changed if it opens a WebSocket.
  private func changingUpgrade(_ request: ServerRequest, _ change: (inout HeaderFields) -> Void) -> ServerResponse {
    var response = answer(request)
    if response.status == 101 { change(&response.headers) }
    return response
  }

  private func failed(_ error: GatewayError) -> ServerResponse {
    GatewayCall.response(error, headers: ["Server": scenario.options.server])
  }

  private func succeeded(_ type: String, _ body: ServerResponse.Body) -> ServerResponse {
    ServerResponse(status: 200, headers: ["Server": scenario.options.server, "Content-Type": type], body: body)
  }
}
