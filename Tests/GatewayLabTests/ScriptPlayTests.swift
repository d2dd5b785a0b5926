import Basics
import GatewayLab
import HTTPTestSupport
import Testing
import YAML

/// A script that is played, over real sockets and in real time.
@Suite struct ScriptPlayTests {
  private func scenario(_ text: String) throws -> Scenario {
    try Scenario(try YAMLDocument.parse(Array("version: 1\n\(text)".utf8), file: "lab.yaml"))
  }

  /// Asks until the answer is the one that is waited for, and how long that took.
  private func wait(_ seconds: Double = 20, until isSo: () throws -> Bool) throws -> Duration {
    let start = ContinuousClock.now
    let deadline = MonotonicInstant.now().advanced(bySeconds: seconds)
    while try !isSo() { try #require(.now() < deadline, "it never was so") }
    return ContinuousClock.now - start
  }

  private func status(_ lab: LabFixture) throws -> Int {
    try lab.send("POST", "/mfs/_session", [LabFixture.basic]).status
  }

  @Test func theGatewayIsAwayForAWhile() throws {
    let lab = try LabFixture()
    try lab.lab.play(try scenario("script: [{at: 200ms, for: 300ms, set: {database-state: offline}}]"))
    let away = try wait { try status(lab) == 503 }
    #expect(away >= .milliseconds(190))
    _ = try wait { try status(lab) == 200 }
    lab.lab.stop()
  }

  @Test func itIsNotBackTooEarly() throws {
    let lab = try LabFixture()
    let start = ContinuousClock.now
    try lab.lab.play(try scenario("script: [{at: 0s, for: 300ms, faults: [{fault: database-offline}]}]"))
    _ = try wait { try status(lab) == 200 }
    #expect(ContinuousClock.now - start >= .milliseconds(300))
  }

  @Test func whatHappensAtOnceHasHappened() throws {
    let lab = try LabFixture()
    let session = try lab.signIn()
    try lab.lab.play(try scenario("script: [{at: 0s, do: [expire-sessions]}]"))
    #expect(lab.gateway.sessionCount == 0)
    #expect(try lab.send("GET", "/mfs/doc", [cookie(session)]).status == 401)
  }

  @Test func theClockIsSkewedAndComesBack() throws {
    let lab = try LabFixture()
    try lab.lab.play(try scenario("script: [{at: 0s, for: 100ms, clock: 2h}, {at: 0s, clock: -60s}]"))
    #expect([7_140, -60].contains(lab.lab.clock.now().seconds - LabFixture.start.seconds))
    _ = try wait { lab.lab.clock.now() == LabFixture.start.advanced(by: -60) }
    // Without the script there is no skew; what else moved the clock stays.
    lab.lab.clock.advance(by: 5)
    try lab.lab.play(Scenario())
    #expect(lab.lab.clock.now() == LabFixture.start.advanced(by: 5))
  }

  @Test func theProviderIsPartOfIt() throws {
    let lab = try Lab(scenario: try scenario("idp: {algorithm: ES256}"), providerPort: 0)
    let provider = try #require(lab.provider)
    let old = provider.publicKeys.map(\.id)
    try lab.play(
      try scenario(
        """
        idp: {algorithm: ES256}
        script:
          - {at: 0s, do: [rotate-keys], idp: {ttl: {code: 7}, faults: [{fault: unavailable}]}}
          - {at: 50ms, do: [end-sign-ins]}
        """))
    let keys = provider.publicKeys.map(\.id)
    #expect(old.count == 1 && keys.count == 2 && keys.last == old.first && keys.first != old.first)
    #expect(provider.options.codeLifetime == 7 && provider.faults.map(\.kind) == [.unavailable])
    lab.stop()
  }

  @Test func anotherScenarioEndsTheScript() throws {
    let lab = try LabFixture()
    try lab.lab.play(try scenario("script: [{at: 100ms, set: {guest: true}}, {at: 1h, set: {guest: false}}]"))
    try lab.lab.play(try scenario("script: [{at: 150ms, set: {server: second}}]"))
    _ = try wait { lab.gateway.scenario.options.server == "second" }
    #expect(!lab.gateway.scenario.options.guest)
  }

  @Test func aLabThatStopsDoesNotWaitForItsScript() throws {
    let lab = try LabFixture()
    try lab.lab.play(try scenario("script: [{at: 1h, set: {guest: true}}]"))
    let start = ContinuousClock.now
    lab.lab.stop()
    #expect(ContinuousClock.now - start < .seconds(10))
    var released: Lab? = try Lab()
    weak let player = released
    try released?.play(try scenario("script: [{at: 1h, set: {guest: true}}]"))
    released = nil
    #expect(player == nil)
  }

  @Test func faultsThatStayGoOnCounting() throws {
    let lab = try LabFixture()
    try lab.lab.play(
      try scenario(
        """
        faults: [{fault: forbidden, times: 2}]
        script: [{at: 100ms, set: {server: later}}, {at: 150ms, set: {server: last}}]
        """))
    #expect(try status(lab) == 403)
    _ = try wait { lab.gateway.scenario.options.server == "last" }
    #expect(try status(lab) == 403)
    #expect(try status(lab) == 200)
  }

  @Test func theControlPortTakesScripts() throws {
    let lab = try LabFixture()
    let text = "version: 1\nscript: [{at: 0s, set: {database-state: offline}}]"
    #expect(try lab.control("PUT", "/scenario", body: text).status == 204)
    #expect(try status(lab) == 503)
    let wrong = try lab.control("PUT", "/scenario", body: "version: 1\nscript: [{at: 0}]")
    #expect(wrong.status == 400 && wrong.text.contains("scenario:2:15: "), "\(wrong.text)")
    #expect(try status(lab) == 503, "a mistake changes nothing")
    #expect(try lab.control("DELETE", "/scenario").status == 204)
    #expect(try status(lab) == 200)
  }
}
