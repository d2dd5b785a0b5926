import Basics
import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing
import YAML

@Suite struct FaultTests {
  private func lab(_ kind: Fault.Kind, _ change: (inout Fault) -> Void = { _ in }) throws -> LabFixture {
    var fault = Fault(kind)
    change(&fault)
    return try LabFixture { $0.faults = [fault] }
  }

  @Test(arguments: [
    (Fault.Kind.unauthorized, "401 - " + refusal("Unauthorized", "Invalid login")),
    (.forbidden, "403 - " + refusal("Forbidden", "Forbidden by the lab")),
    (.notFound, "404 - " + refusal("not_found", "missing")),
    (.internalError, "500 - " + refusal("Internal Server Error", "Internal error: the lab says so")),
    (.databaseOffline, "503 - " + refusal("Service Unavailable", "DB is currently under maintenance")),
    (.tooManyRequests, "429 - Too Many Requests\n"),
    (
      .badGateway,
      "502 - <html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"
    ),
    (.wrongJSON, #"200 - {"authentication_handlers":["default","coo"#),
    (.redirect, "302 - "),
  ])
  func answersAreReplaced(kind: Fault.Kind, row: String) throws {
    let lab = try lab(kind)
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    #expect(response.row == row)
    #expect(response.first("Set-Cookie") == nil)
    #expect(lab.gateway.sessionCount == 0)
    if kind == .redirect { #expect(response.first("Location") == "http://elsewhere.invalid/") }
    if kind == .tooManyRequests { #expect(response.first("Retry-After") == "1") }
  }

  @Test func anOfflineDatabaseStillRefusesWrongPasswords() throws {
    let lab = try lab(.databaseOffline)
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.wrongBasic]).status == 401)
    #expect(try lab.send("GET", "/mfs/_session").status == 503)
    #expect(try lab.send("GET", "/mfs/", [LabFixture.basic]).text.contains(#""state":"Offline""#))
  }

  @Test func garbageIsNotText() throws {
    let lab = try lab(.garbage)
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    #expect(response.status == 200 && response.body.count == 4_096)
    #expect(String(validating: response.body, as: UTF8.self) == nil)
  }

  @Test func aHugeBodyHasItsSizeAndIsJSON() throws {
    let lab = try lab(.hugeBody) { $0.size = 1_000_003 }
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    #expect(response.body.count == 1_000_003)
    #expect(response.body.suffix(2).elementsEqual("{}".utf8) && response.body.dropLast(2).allSatisfy { $0 == 0x20 })
  }

  @Test func cutConnectionsCarryNothingOut() throws {
    let lab = try lab(.cutConnection)
    #expect(try exchange(lab.port, "POST", "/mfs/_session", headers: [LabFixture.basic]) == nil)
    #expect(lab.gateway.sessionCount == 0)
  }

  @Test func cutAnswersWereCarriedOut() throws {
    let lab = try lab(.cutAnswer)
    let connection = try RawConnection(port: lab.port)
    connection.send("POST /mfs/_session HTTP/1.1\r\nHost: a\r\n\(LabFixture.basic)\r\n\r\n")
    #expect(connection.head()?.first("Content-Length") == "104")
    #expect(connection.rest().count == 52)
    #expect(lab.gateway.sessionCount == 1)
  }

  @Test func slowAnswersAreRight() throws {
    let lab = try lab(.slow) { $0.delayMilliseconds = 300 }
    let start = ContinuousClock.now
    #expect(try lab.send("POST", "/mfs/_session", [LabFixture.basic]).sessionID != nil)
    #expect(ContinuousClock.now - start >= .milliseconds(290))
  }

  @Test func aCookieCanBeMissing() throws {
    let lab = try lab(.noCookie)
    let response = try lab.send("POST", "/mfs/_session", [LabFixture.basic])
    #expect(response.row == "200 - \(SessionCreateTests.alice)")
    #expect(response.first("Set-Cookie") == nil)
  }

  @Test func faultsCountAndChoose() throws {
    let lab = try LabFixture { scenario in
      var first = Fault(.badGateway)
      first.operations = [.sessionCreate]
      first.after = 1
      first.times = 2
      var second = Fault(.unauthorized)
      second.operations = [.sessionRead, .other]
      scenario.faults = [first, second]
    }
    let statuses = try (0..<5).map { _ in try lab.send("POST", "/mfs/_session", [LabFixture.basic]).status }
    #expect(statuses == [200, 502, 502, 200, 200])
    #expect(try lab.send("GET").status == 401)
    #expect(try lab.send("GET", "/mfs/doc", [LabFixture.basic]).status == 401)
    #expect(try lab.send("DELETE", "/mfs/_session", [LabFixture.basic]).status == 404)
  }

  @Test func theControlPortSwitchesFaults() throws {
    let lab = try LabFixture { $0.options.cookieName = "first" }
    func works() throws -> Bool { try lab.send("POST", "/mfs/_session", [LabFixture.basic]).status == 200 }
    #expect(try lab.control("PUT", "/scenario", body: "version: 1\nfaults: [{fault: bad-gateway}]").status == 204)
    #expect(try !works())
    #expect(try lab.control("DELETE", "/scenario").status == 204)
    #expect(try works())
    #expect(lab.gateway.scenario.options.cookieName == "first")
    let bad = try lab.control("PUT", "/scenario", body: "version: 1\nfaults: [{fault: slwo}]")
    #expect(bad.status == 400 && bad.text.contains("did you mean 'slow'?"))
    #expect(try works())
  }

  @Test func theControlPortEndsSessionsAndMovesTheClock() throws {
    let lab = try LabFixture { $0.options.sessionTTL = 60 }
    _ = try lab.signIn()
    #expect(try lab.control("POST", "/sessions/expire").status == 204)
    #expect(lab.gateway.sessionCount == 0)
    let id = try lab.signIn()
    #expect(try lab.control("POST", "/clock/advance?seconds=61").status == 204)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(id)]).status == 401)
    for query in ["", "?seconds=-1", "?seconds=x", "?seconds=99999999999999999999"] {
      #expect(try lab.control("POST", "/clock/advance\(query)").status == 400)
    }
    #expect(try lab.control("GET", "/scenario").status == 404)
  }

  @Test func theControlPortIsNotForWebPages() throws {
    let lab = try LabFixture()
    #expect(try lab.control("POST", "/sessions/expire", ["Origin: https://a.example"]).status == 403)
    let rebound = try RawConnection(port: lab.controlPort)
    rebound.send("POST /sessions/expire HTTP/1.1\r\nHost: evil.example:1\r\n\r\n")
    #expect(rebound.response()?.status == 403)
  }

  @Test func twoHundredAtOnceAreAllServed() async throws {
    let lab = try LabFixture()
    let port = lab.port
    let ids = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<200 {
        group.addTask { try exchange(port, "POST", "/mfs/_session", headers: [LabFixture.basic])?.sessionID }
      }
      return try await group.reduce(into: [String]()) { list, id in if let id { list.append(id) } }
    }
    #expect(ids.count == 200 && Set(ids).count == 200)
    #expect(lab.gateway.sessionCount == 200)
  }

  @Test func twoHundredOpenAtTheSameTimeAreAllServed() throws {
    let lab = try LabFixture()
    let connections = try (0..<200).map { _ in try RawConnection(port: lab.port) }
    for connection in connections {
      connection.send("POST /mfs/_session HTTP/1.1\r\nHost: a\r\n\(LabFixture.basic)\r\n\r\n")
    }
    #expect(connections.allSatisfy { $0.response()?.sessionID != nil })
    #expect(lab.gateway.sessionCount == 200)
  }
}
