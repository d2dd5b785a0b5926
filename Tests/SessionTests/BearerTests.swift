import Basics
import Foundation
import GatewayLab
import HTTPClient
import HTTPTestSupport
import Replication
import SecureMemory
import Session
import Testing

/// A gateway that refuses an ID token which is good by its time: once, for ever, or not at all.
@Suite struct BearerTests {
  private let lab: Lab
  private let fixture = Fixture()

  init() throws {
    var scenario = Scenario()
    scenario.provider.options.algorithm = .es256
    scenario.options.openID.register = true
    lab = try Lab(scenario: scenario, providerPort: 0, clock: LabClock { Fixture.now })
    try lab.gateway.addUser("alice", password: SecureBytes(publicText: "correct horse"))
    fixture.settings["EXPO_PUBLIC_SG_URL"] = lab.origin
    fixture.settings["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] = "true"
    try fixture.signIn()
    fixture.store.set("auth.idToken", try token())
    fixture.store.set("auth.idTokenExpiresAt", Fixture.now.advanced(by: 3_600).rfc3339)
  }

  /// An ID token for alice, by the implicit flow.
  private func token() throws -> String {
    let issuer = try #require(lab.provider?.issuer)
    let port = try #require(issuer.split(separator: ":").last.flatMap { UInt16($0) })
    let query =
      "client_id=mfs&redirect_uri=http://127.0.0.1:9/callback&response_type=id_token&scope=openid&nonce=n&state=s"
    let answer = try #require(
      try exchange(
        port, "POST", "/authorize?\(query)", headers: ["Content-Type: application/x-www-form-urlencoded"],
        body: "username=alice&password=correct+horse&action=sign-in"))
    let location = try #require(answer.first("Location"), "\(answer.text)")
    let fragment = try #require(location.split(separator: "#").last)
    let field = try #require(fragment.split(separator: "&").first { $0.hasPrefix("id_token=") })
    return String(field.dropFirst("id_token=".count))
  }

  /// The first request for a replication is refused; the next one is answered so, and those after it rightly.
  private func refuse(then next: Fault.Kind? = nil) throws {
    let faults = ([.unauthorized] + (next.map { [$0] } ?? [])).map { kind in
      var fault = Fault(kind)
      fault.operations = [.replication]
      fault.times = 1
      return fault
    }
    try lab.play(Scenario(faults: faults))
  }

  private func service(_ strategies: ScriptedStrategies = ScriptedStrategies.never()) throws -> SessionService {
    try fixture.service(strategies)
  }

  private func check() throws -> ReplicatorCheckReport {
    let now = fixture.now
    return try #require(
      try ReplicatorCheck(try service().replicator(), secondThought: 20, clock: { now }).run())
  }

  @Test func theTokenIsTaken() throws {
    let report = try check()
    #expect(report.code == nil && report.warnings.isEmpty && report.json["presents"] == "bearer")
  }

  @Test func oneRefusalIsAskedAboutAgain() throws {
    try refuse()
    let report = try check()
    #expect(report.code == nil && report.failure == nil)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("took it"))
  }

  @Test func twoRefusalsAreARefusal() throws {
    try refuse(then: .unauthorized)
    let report = try check()
    #expect(report.code == 10_401 && report.failure?.code == .signInNeeded)
    #expect(report.warnings.count == 1 && report.warnings[0].contains("refused it again"))
    // A third was not asked for.
    #expect(try check().code == nil)
  }

  @Test func theSecondAnswerCounts() throws {
    try refuse(then: .badGateway)
    #expect(try check().code == 10_502)
  }

  @Test func aTokenThatHasEndedIsNotPresentedAgain() throws {
    fixture.now = Fixture.now.advanced(by: 3_600)
    try refuse(then: .badGateway)
    let report = try check()
    #expect(report.code == 10_401 && report.warnings.isEmpty)
  }

  @Test func aSessionIsNotPresentedAgain() throws {
    fixture.settings["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] = "false"
    try refuse(then: .badGateway)
    #expect(try check().code == 10_401)
  }

  private func report(_ code: Int, _ strategies: ScriptedStrategies) throws -> SessionService.Report {
    try service(strategies).replicatorFailed(
      ReplicatorCode(code), rejected: RejectedSession(), asking: HTTPClient(), secondThought: 20)
  }

  @Test(arguments: [401, 10_401]) func aTokenThatIsTakenAfterAllChangesNothing(code: Int) throws {
    let before = fixture.store.values
    let report = try report(code, ScriptedStrategies.never())
    #expect(report.failure == nil && report.restartsReplicator && report.status.state == .signedIn)
    #expect(report.note?.contains("takes the ID token now") == true)
    #expect(fixture.store.values == before)
    #expect(fixture.decided.last?.event == "replicatorFailed \(code)")
    #expect(fixture.decided.last?.reason == "the gateway takes the token when asked again")
  }

  @Test func aTokenThatIsRefusedAgainIsRefreshedOnce() throws {
    try refuse()
    let strategies = Fixture.failing(.network)
    let report = try report(10_401, strategies)
    #expect(strategies.calls.count == 1 && report.failure?.code == .network && !report.restartsReplicator)
    // The question was asked: the refusal is used up.
    #expect(try check().code == nil)
  }

  @Test func anotherCodeAsksNobody() throws {
    try refuse()
    let strategies = Fixture.failing(.network)
    #expect(try report(10_404, strategies).failure?.code == .network && strategies.calls.count == 1)
    #expect(try report(10_500, strategies).restartsReplicator)
    try lab.play(Scenario(faults: [Fault(.unauthorized)]))
    #expect(try check().code == 10_401)
  }

  @Test func withoutATokenThereIsNothingToPresent() throws {
    fixture.store.set("auth.idToken", nil)
    let strategies = Fixture.failing(.badCredentials)
    #expect(try report(10_401, strategies).failure?.code == .signInNeeded && strategies.calls.count == 1)
  }
}
