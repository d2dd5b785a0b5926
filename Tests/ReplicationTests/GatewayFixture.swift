import Basics
import GatewayLab
import HTTPClient
import HTTPTestSupport
import Replication
import SecureMemory
import Testing

/// A lab with the users alice and bob, whose clock stands still until it is moved.
struct GatewayFixture {
  static let start = Timestamp(rfc3339: "2026-09-04T18:00:00Z") ?? Timestamp(seconds: 0)
  static let basic = "Authorization: Basic YWxpY2U6Y29ycmVjdCBob3JzZQ=="
  static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
  static let upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", key]
  static let protocols = "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3, BLIP_3+CBMobile_4"

  let lab: Lab
  var gateway: Gateway { lab.gateway }
  let port: UInt16

  init(_ change: (inout Scenario) -> Void = { _ in }) throws {
    var scenario = Scenario()
    change(&scenario)
    lab = try Lab(scenario: scenario, clock: LabClock { GatewayFixture.start })
    for (name, password) in [("alice", "correct horse"), ("bob", "battery staple")] {
      try lab.gateway.addUser(name, password: SecureBytes(publicText: password))
    }
    port = lab.origin.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
  }

  var endpoint: ReplicationEndpoint {
    get throws { try #require(ReplicationEndpoint(gateway: lab.origin, database: "mfs")) }
  }

  /// Signs in and returns the session's id.
  func signIn(bob: Bool = false, query: String = "") throws -> String {
    let field = bob ? "Authorization: Basic Ym9iOmJhdHRlcnkgc3RhcGxl" : GatewayFixture.basic
    let response = try #require(try exchange(port, "POST", "/mfs/_session\(query)", headers: [field]))
    if !query.isEmpty {
      return try #require(try JSONReader.value(response.body)["one_time_session_id"]?.string)
    }
    let cookie = try #require(response.first("Set-Cookie"))
    return String(cookie.prefix { $0 != ";" }.drop { $0 != "=" }.dropFirst())
  }

  /// Asks for a replication's WebSocket byte by byte. The connection is open as long as it is held.
  func ask(_ headers: [String], path: String = "/mfs/_blipsync") throws -> (
    connection: RawConnection, answer: RawResponse
  ) {
    let connection = try RawConnection(port: port)
    connection.send(
      (["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
    // A 101 has no body.
    return (connection, try #require(connection.response()))
  }

  /// The same as LiteCore does.
  func open(session: String) throws -> ReplicationSocket {
    try ReplicationSocket.open(
      endpoint, fields: [.init("Cookie", secret: secret("SyncGatewaySession=\(session)"))], client: HTTPClient())
  }

  func fail(_ kind: Fault.Kind, _ change: (inout Fault) -> Void = { _ in }) {
    var fault = Fault(kind)
    fault.operations = [.replication]
    change(&fault)
    var scenario = gateway.scenario
    scenario.faults = [fault]
    gateway.scenario = scenario
  }
}

func cookie(_ id: String) -> String { "Cookie: SyncGatewaySession=\(id)" }
