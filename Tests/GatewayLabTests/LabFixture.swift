import Basics
import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

/// A lab with the user alice, whose clock stands still at 2026-09-04T18:00:00Z until it is moved.
struct LabFixture {
  static let password = "correct horse"
  static let start = Timestamp(rfc3339: "2026-09-04T18:00:00Z") ?? Timestamp(seconds: 0)
  /// `alice:correct horse` and `alice:wrong`.
  static let basic = "Authorization: Basic YWxpY2U6Y29ycmVjdCBob3JzZQ=="
  static let wrongBasic = "Authorization: Basic YWxpY2U6d3Jvbmc="
  static let login = #"{"name":"alice","password":"correct horse"}"#
  static let challenge = #"Basic realm="Couchbase Sync Gateway""#

  let lab: Lab
  var gateway: Gateway { lab.gateway }

  init(_ change: (inout Scenario) -> Void = { _ in }) throws {
    var scenario = Scenario()
    change(&scenario)
    lab = try Lab(scenario: scenario, clock: LabClock { LabFixture.start })
    try gateway.addUser("alice", password: SecureBytes(publicText: LabFixture.password))
    gateway.setDocument("doc", json: #"{"_id":"doc"}"#)
  }

  var port: UInt16 { LabFixture.port(lab.origin) }
  var controlPort: UInt16 { LabFixture.port(lab.controlOrigin) }

  private static func port(_ origin: String) -> UInt16 { origin.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

  /// Sends a request and requires a complete answer.
  func send(
    _ method: String, _ path: String = "/mfs/_session", _ headers: [String] = [], body: String? = nil,
    place: SourceLocation = #_sourceLocation
  ) throws -> RawResponse {
    try #require(try exchange(port, method, path, headers: headers, body: body), sourceLocation: place)
  }

  /// Signs alice in and returns the session id.
  func signIn(place: SourceLocation = #_sourceLocation) throws -> String {
    let response = try send("POST", "/mfs/_session", [LabFixture.basic], place: place)
    return try #require(response.sessionID, sourceLocation: place)
  }

  func control(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) throws -> RawResponse {
    try #require(try exchange(controlPort, method, path, headers: headers, body: body))
  }
}

extension RawResponse {
  /// The value of the first cookie set, whatever its name.
  var sessionID: String? {
    first("Set-Cookie")?.split(separator: ";").first?.split(separator: "=", maxSplits: 1).last.map(String.init)
  }

  /// Status, `WWW-Authenticate` and body in one text, so that a whole row is compared at once.
  var row: String { "\(status) \(first("WWW-Authenticate") ?? "-") \(text)" }
}

func cookie(_ id: String) -> String { "Cookie: SyncGatewaySession=\(id)" }

/// The body of a refusal.
func refusal(_ error: String, _ reason: String) -> String { #"{"error":"\#(error)","reason":"\#(reason)"}"# }
