import Basics
import GatewayLab
import HTTPTestSupport
import Testing

/// `GET /DB/_blipsync` of the lab, each answer over a real socket.
@Suite("_blipsync answers as Sync Gateway does") struct BlipSyncTests {
  typealias Fixture = GatewayFixture

  private func row(_ response: RawResponse) -> String { "\(response.status) \(response.text)" }
  private func refusal(_ error: String, _ reason: String) -> String { #"{"error":"\#(error)","reason":"\#(reason)"}"# }

  @Test func aSessionOpensIt() throws {
    let lab = try Fixture()
    let (connection, answer) = try lab.ask(Fixture.upgrade + [Fixture.protocols, cookie(try lab.signIn())])
    #expect(answer.status == 101)
    #expect(answer.first("Connection") == "Upgrade" && answer.first("Upgrade") == "websocket")
    #expect(answer.first("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    // The newest that both speak, whatever the client's order is.
    #expect(answer.first("Sec-WebSocket-Protocol") == "BLIP_3+CBMobile_4")
    #expect(answer.first("X-Correlation-ID")?.count == 16)
    #expect(answer.first("Set-Cookie") == nil && answer.first("Sec-WebSocket-Extensions") == nil)
    #expect(lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.first?.user == "alice")
    connection.finishSending()
  }

  @Test(arguments: [("", "cbl2"), ("?client=cbl2", "cbl2"), ("?client=sgr2", "sgr2"), ("?client=x", "cbl2")])
  func theClientSaysWhatItIs(query: String, client: String) throws {
    let lab = try Fixture()
    let (connection, answer) = try lab.ask(
      Fixture.upgrade + [Fixture.protocols, Fixture.basic], path: "/mfs/_blipsync\(query)")
    #expect(answer.status == 101 && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.first?.client == client)
    connection.finishSending()
  }

  @Test(
    arguments: [
      ([], 426, #"{"error":"Upgrade Required","reason":"Can't upgrade this request to websocket connection"}"#),
      (
        ["Connection: Upgrade", "Upgrade: h2c"], 426,
        #"{"error":"Upgrade Required","reason":"Can't upgrade this request to websocket connection"}"#
      ),
      (
        ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 8"], 400,
        "unsupported WebSocket protocol version (only 13 is supported): \"8\"\n"
      ),
      (
        ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"], 400,
        "WebSocket protocol violation: missing Sec-WebSocket-Key\n"
      ),
      (Fixture.upgrade, 500, "I only speak BLIP_3+CBMobile_4,BLIP_3+CBMobile_3,BLIP_3+CBMobile_2 protocols\n"),
      (
        Fixture.upgrade + ["Sec-WebSocket-Protocol: BLIP_3+CBMobile_9"], 500,
        "I only speak BLIP_3+CBMobile_4,BLIP_3+CBMobile_3,BLIP_3+CBMobile_2 protocols\n"
      ),
      (
        Fixture.upgrade + [Fixture.protocols, "Origin: https://evil.example"], 403,
        "request Origin \"evil.example\" is not authorized for Host "
      ),
    ] as [([String], Int, String)])
  func anUpgradeThatCannotBe(headers: [String], status: Int, body: String) throws {
    let lab = try Fixture()
    let (_, answer) = try lab.ask(headers + [Fixture.basic])
    #expect(answer.status == status && answer.text.hasPrefix(body), "\(answer.text)")
    // Who is not signed in hears of nothing else.
    #expect(try lab.ask(headers).answer.status == 401)
    #expect(lab.gateway.openReplications.isEmpty)
  }

  @Test func browsersComeFromWhereTheyMay() throws {
    let lab = try Fixture { $0.options.origins = ["https://app.example.com"] }
    for (origin, status) in [
      ("https://app.example.com", 101), ("https://APP.example.com", 101), ("http://127.0.0.1:\(lab.port)", 101),
      ("https://app.example.com.evil.example", 403), ("null", 403),
    ] {
      let (_, answer) = try lab.ask(Fixture.upgrade + [Fixture.protocols, Fixture.basic, "Origin: \(origin)"])
      #expect(answer.status == status, "\(origin)")
    }
    let open = try Fixture { $0.options.origins = ["*"] }
    #expect(
      try open.ask(Fixture.upgrade + [Fixture.protocols, Fixture.basic, "Origin: https://x"]).answer.status == 101)
  }

  @Test func theFirstCredentialDecides() throws {
    let lab = try Fixture()
    let alice = cookie(try lab.signIn()), wrong = "Authorization: Basic YWxpY2U6d3Jvbmc="
    let once = try lab.signIn(bob: true, query: "?one_time=true")
    func ask(_ headers: [String], once id: String? = nil) throws -> RawResponse {
      let offer = Fixture.protocols + (id.map { ", SyncGatewaySession_\($0)" } ?? "")
      return try lab.ask(Fixture.upgrade + [offer] + headers).answer
    }
    #expect(row(try ask([])) == "401 " + refusal("Unauthorized", "Login required"))
    // A bad Basic fails even with a good cookie, and keeps a one-time session as it was.
    #expect(row(try ask([wrong, alice], once: once)) == "401 " + refusal("Unauthorized", "Invalid login"))
    #expect(try ask([Fixture.basic], once: "nonsense").status == 101)
    // A bad one-time session fails even with a good cookie.
    #expect(row(try ask([alice], once: "nonsense")) == "401 " + refusal("Unauthorized", "Session Invalid"))
    #expect(row(try ask([cookie("dead")])) == "401 " + refusal("Unauthorized", "Session Invalid"))
    // It comes before the cookie, and works once.
    let (connection, answer) = try lab.ask(
      Fixture.upgrade + [Fixture.protocols + ", SyncGatewaySession_\(once)", alice])
    #expect(answer.status == 101 && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.map(\.user) == ["bob"])
    #expect(answer.first("Sec-WebSocket-Protocol") == "BLIP_3+CBMobile_4")
    #expect(row(try ask([], once: once)) == "401 " + refusal("Unauthorized", "Session Invalid"))
    connection.finishSending()
  }

  @Test func anOrdinarySessionIsNoneOfTheSubprotocols() throws {
    let lab = try Fixture()
    let session = try lab.signIn()
    let (_, answer) = try lab.ask(Fixture.upgrade + [Fixture.protocols + ", SyncGatewaySession_\(session)"])
    #expect(answer.status == 401)
    #expect(try lab.ask(Fixture.upgrade + [Fixture.protocols, cookie(session)]).answer.status == 101)
  }

  @Test func aOneTimeSessionEndsAfterFiveMinutesAndWithThePassword() throws {
    let lab = try Fixture()
    let old = try lab.signIn(query: "?one_time=true"), revoked = try lab.signIn(query: "?one_time=true")
    try lab.gateway.changePassword(of: "alice", to: .init(publicText: "correct horse"))
    func ask(_ id: String) throws -> String {
      row(try lab.ask(Fixture.upgrade + [Fixture.protocols + ", SyncGatewaySession_\(id)"]).answer)
    }
    #expect(try ask(revoked) == "401 " + refusal("Unauthorized", "Session no longer valid for user"))
    lab.lab.clock.advance(by: 300)
    #expect(try ask(old) == "401 " + refusal("Unauthorized", "Session Invalid"))
  }

  @Test func aSessionThatIsExtendedSaysSoOnThe101() throws {
    let lab = try Fixture()
    let session = try lab.signIn()
    lab.lab.clock.advance(by: 8_641)
    let (_, answer) = try lab.ask(Fixture.upgrade + [Fixture.protocols, cookie(session)])
    #expect(answer.status == 101)
    #expect(
      answer.all("Set-Cookie") == ["SyncGatewaySession=\(session); Path=/mfs; Expires=Sat, 05 Sep 2026 20:24:01 GMT"])
  }

  @Test func aDatabaseThatIsNotThereYet() throws {
    for (state, reason) in [
      (GatewayOptions.DatabaseState.offline, "DB is currently under maintenance"),
      (.starting, "DB is Starting - try again later"),
    ] {
      let lab = try Fixture { $0.options.databaseState = state }
      #expect(row(try lab.ask(Fixture.upgrade + [Fixture.protocols]).answer).hasPrefix("401 "))
      let (_, answer) = try lab.ask(Fixture.upgrade + [Fixture.protocols, Fixture.basic])
      #expect(row(answer) == "503 " + refusal("Service Unavailable", reason))
    }
  }

  @Test func thereIsALimit() throws {
    let lab = try Fixture { $0.options.replicationLimit = 2 }
    let ask = Fixture.upgrade + [Fixture.protocols, Fixture.basic]
    let first = try lab.ask(ask), second = try lab.ask(ask)
    #expect(first.answer.status == 101 && second.answer.status == 101 && lab.gateway.waitForReplications(2))
    let refused = row(try lab.ask(ask).answer)
    #expect(refused == "503 " + refusal("Service Unavailable", "Replication limit exceeded. Try again later."))
    // The limit comes before the handshake is looked at.
    #expect(try lab.ask([Fixture.basic]).answer.status == 503)
    first.connection.finishSending()
    #expect(lab.gateway.waitForReplications(1))
    var status = 503
    let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
    while status == 503, MonotonicInstant.now() < deadline { status = try lab.ask(ask).answer.status }
    #expect(status == 101)
    withExtendedLifetime(second) {}
  }

  @Test func aRequestThatIsRefusedTakesNoPlace() throws {
    let lab = try Fixture { $0.options.replicationLimit = 1 }
    for _ in 0..<3 { #expect(try lab.ask([Fixture.basic]).answer.status == 426) }
  }
}
