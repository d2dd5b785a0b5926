internal import Basics
internal import HTTPServer
internal import WebSocket
internal import YAML

/// What the control port answers. A change has happened when its answer arrives.
struct ControlPanel: Sendable {
  let gateway: Gateway
  let provider: IdentityProvider?
  let clock: LabClock
  let player: ScenarioPlayer
  /// What `DELETE /scenario` goes back to.
  let normal: Scenario

  func respond(to request: ServerRequest) -> ServerResponse {
    // Not for web pages: a browser says where a request comes from, and rebinding a name to loopback shows in Host.
    let host = request.headers.first("Host") ?? ""
    guard request.headers.first("Origin") == nil, host.hasPrefix("127.0.0.1:") else {
      return refusal(403, Failure(.usage, "this port is for programs on this machine"))
    }
    switch (request.method, request.target.path) {
    case ("PUT", "/scenario"): return play(request)
    case ("DELETE", "/scenario"):
      do throws(Failure) {
        try player.play(normal)
        return done
      } catch { return refusal(500, error) }
    case ("POST", "/sessions/expire"):
      gateway.expireSessions()
      return done
    case ("POST", "/clock/advance"): return advance(request)
    case ("GET", "/replications"):
      return ServerResponse(
        status: 200, headers: ["Content-Type": "application/json"],
        text: JSONValue.array(gateway.openReplications.map(\.json)).text + "\n")
    case ("POST", "/replications/close"): return closeReplications(request)
    case ("POST", "/replications/cut"):
      gateway.cutReplications()
      return done
    case ("POST", "/idp/keys/rotate"):
      return withProvider { (provider) throws(Failure) in
        try provider.rotateKeys()
        return done
      }
    case ("POST", "/idp/sign-ins/end"):
      return withProvider { (provider) throws(Failure) in
        provider.endSignIns()
        return done
      }
    case ("GET", "/idp/calls"):
      return withProvider { (provider) throws(Failure) in
        ServerResponse(
          status: 200, headers: ["Content-Type": "application/json"],
          text: JSONValue.array(provider.calls.map(\.json)).text + "\n")
      }
    default:
      return refusal(
        404,
        Failure(
          .notFound, "there is no such control",
          hint: "PUT or DELETE /scenario, POST /sessions/expire, POST /clock/advance?seconds=N, "
            + "GET /replications, POST /replications/close?code=N, POST /replications/cut, "
            + "POST /idp/keys/rotate, POST /idp/sign-ins/end, GET /idp/calls"))
    }
  }

  private func withProvider(_ body: (IdentityProvider) throws(Failure) -> ServerResponse) -> ServerResponse {
    guard let provider else {
      return refusal(404, Failure(.notFound, "there is no identity provider", hint: "start the lab with --idp lab"))
    }
    do throws(Failure) { return try body(provider) } catch { return refusal(500, error) }
  }

  private func play(_ request: ServerRequest) -> ServerResponse {
    let bytes = unsafe request.body.withBytes { unsafe [UInt8]($0) }
    do throws(Failure) {
      try player.play(try Scenario(try YAMLDocument.parse(bytes, file: "scenario")))
      return done
    } catch {
      return refusal(error.code == .inputOutput ? 500 : 400, error)
    }
  }

  private func closeReplications(_ request: ServerRequest) -> ServerResponse {
    let code = request.target.queryValue("code").map { UInt16($0).map { CloseCode(rawValue: $0) } } ?? .goingAway
    guard let code, code.isSendable else {
      return refusal(400, Failure(.usage, "code is none of 1000 to 1003, 1007 to 1014 and 3000 to 4999"))
    }
    gateway.closeReplications(code)
    return done
  }

  private func advance(_ request: ServerRequest) -> ServerResponse {
    guard let seconds = request.target.queryValue("seconds").flatMap({ Int64($0) }),
      (0...3_153_600_000).contains(seconds)
    else { return refusal(400, Failure(.usage, "seconds is not a whole number from 0 to 3153600000")) }
    clock.advance(by: seconds)
    return done
  }

  private var done: ServerResponse { ServerResponse(status: 204) }

  private func refusal(_ status: Int, _ failure: Failure) -> ServerResponse {
    let body: JSONValue = [
      "error": [
        "code": .string(failure.code.name), "message": .string(failure.message), "hint": .optional(failure.hint),
      ]
    ]
    return ServerResponse(status: status, headers: ["Content-Type": "application/json"], text: body.text + "\n")
  }
}
