import Basics
import HTTPTestSupport
import Testing

@testable import AuthBackend

/// The limits that docs/BACKEND.md has under "Limits without a setting", each on both sides of where it is.
@Suite("Limits without a setting")
struct LimitBoundaryTests {
  @Test("wrong passwords are forgotten a day after the last, and not a second sooner", arguments: [-1, 0] as [Int64])
  func forgotten(_ offset: Int64) throws {
    let fixture = try BackendFixture()
    func wrong() throws -> Int { try Browser(fixture).authorize(Asked(), password: "wrong").status }
    for _ in 0..<5 { #expect(try wrong() == 401) }
    fixture.clock.advance(by: 86_400 + offset)
    #expect(try [wrong(), wrong()] == (offset < 0 ? [401, 429] : [401, 401]))
  }

  @Test(
    "authorizations of devices and challenges are counted with the token requests",
    arguments: ["/oauth/token", "/oauth/device_authorization", "/oauth/attestation_challenge"])
  func oneShare(_ first: String) throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerClientAndAddress = 1 }
    func status(_ path: String, _ client: String = "app") throws -> Int {
      try fixture.post(path, [("client_id", client), ("grant_type", "refresh_token"), ("refresh_token", "x")]).status
    }
    #expect(try status(first) != 429)
    for path in ["/oauth/token", "/oauth/device_authorization", "/oauth/attestation_challenge"] {
      #expect(try status(path) == 429, "\(path)")
    }
    #expect(try status(first, "other") != 429)
  }

  @Test("of one event that is not urgent 20 alerts are sent in a minute, and the next says how many were not")
  func alerts() throws {
    let fixture = try BackendFixture {
      $0.callsPerAddress = 1
      $0.trustedProxies = ["127.0.0.1"]
    }
    func meet(_ number: Int) throws {
      let from = ["X-Forwarded-For: 203.0.113.\(number)"]
      let statuses = try (0..<2).map { _ in
        try fixture.post("/oauth/revoke", [("client_id", "app"), ("token", "x")], headers: from).status
      }
      #expect(statuses == [200, 429])
    }
    for number in 1...21 { try meet(number) }
    #expect(fixture.events.alerts.map(\.name) == Array(repeating: "call.limited", count: 20))
    #expect(fixture.events.named("call.limited").count == 21)
    #expect(fixture.events.alerts.allSatisfy { $0.fields["others"] == nil })
    fixture.clock.advance(by: 60)
    try meet(22)
    #expect(fixture.events.alerts.count == 21 && fixture.events.alerts.last?.fields["others"] == "1")
  }

  @Test("a form has 200 fields and 64 KiB, and not one more", arguments: [0, 1])
  func forms(_ more: Int) throws {
    let fixture = try BackendFixture()
    let items = [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", "app")]
    let fields = items + (0..<197 + more).map { ("f\($0)", "") }
    let many = try fixture.post("/oauth/token", fields)
    #expect(many.status == 400 && many.error == (more == 0 ? "invalid_grant" : "invalid_request"))

    let form = formText(items) + "&f="
    let body = form + String(repeating: "x", count: 65_536 + more - form.utf8.count)
    let long = try fixture.send(
      "POST", "/oauth/token", headers: ["Content-Type: application/x-www-form-urlencoded"], body: body)
    #expect(long.status == (more == 0 ? 400 : 413))
    #expect(long.error == (more == 0 ? "invalid_grant" : "invalid_request"))
  }
}
