import Basics
import Foundation
import GatewayLab
import Session
import TestSupport
import Testing

/// A replicator's report that arrives when somebody else has already got a new session.
@Suite struct LateReportTests {
  private static let later = Fixture.end.advanced(by: 600)

  /// Signed in, and renewed at once by another process.
  private func renewed(at seconds: Int64 = 5) throws -> Fixture {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.now = Fixture.now.advanced(by: seconds)
    let renewing = ScriptedStrategies { _, _ throws(Failure) in
      try cookie("renewed", until: LateReportTests.later, identifier: nil, password: nil)
    }
    #expect(try fixture.service(renewing).refresh().failure == nil)
    fixture.now = fixture.now.advanced(by: 5)
    return fixture
  }

  @Test(arguments: [
    RejectedSession(expiresAt: Fixture.end), RejectedSession(reportedAt: Fixture.now),
    RejectedSession(expiresAt: later, reportedAt: Fixture.now),
  ])
  func isNotOfTheNewSession(rejected: RejectedSession) throws {
    let fixture = try renewed()
    let report = try fixture.service(ScriptedStrategies.never()).replicatorFailed(
      ReplicatorCode(401), rejected: rejected)
    #expect(report.failure == nil && report.status.state == .signedIn)
    #expect(fixture.store.text("auth.sessionId") == "renewed")
    #expect(fixture.decided.last?.event == "replicatorFailedBefore 401")
  }

  @Test(arguments: [
    RejectedSession(), RejectedSession(expiresAt: later), RejectedSession(reportedAt: Fixture.now.advanced(by: 5)),
    RejectedSession(expiresAt: later, reportedAt: Fixture.now.advanced(by: 10)),
  ])
  func whatMayBeOfTheStoredSessionLeadsToARefresh(rejected: RejectedSession) throws {
    let fixture = try renewed()
    let report = try fixture.service(Fixture.failing(.network)).replicatorFailed(
      ReplicatorCode(401), rejected: rejected)
    #expect(report.failure?.code == .network && report.status.state == .offline)
    #expect(fixture.store.text("auth.sessionId") == nil)
  }

  @Test func aClockThatWasSetBackSaysNothing() throws {
    let fixture = try renewed()
    fixture.now = Fixture.now.advanced(by: -3_600)
    let report = try fixture.service(Fixture.failing(.network)).replicatorFailed(
      ReplicatorCode(401), rejected: RejectedSession(reportedAt: fixture.now))
    #expect(report.failure?.code == .network)
  }

  @Test func otherCodesStillChangeNothing() throws {
    let fixture = try renewed()
    let report = try fixture.service(ScriptedStrategies.never()).replicatorFailed(
      ReplicatorCode(503), rejected: RejectedSession(expiresAt: Fixture.end))
    #expect(report.failure == nil)
  }

  /// Two processes report the same rejected session; the second comes when the first is long done.
  @Test func twoProcessesLeadToOneRefresh() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3_600 }
    try #require(try device.login().status == 0)
    let status = try device.mfsctl("--json", "session", "status")
    let document = try #require(try JSONSerialization.jsonObject(with: status.output) as? [String: Any])
    let end = try #require(document["sessionExpiresAt"] as? String)
    device.lab.gateway.expireSessions()
    device.lab.clock.advance(by: 60)
    func report() throws -> RunResult {
      try device.mfsctl("--json", "session", "auth-failure", "--code", "401", "--session-expires-at", end)
    }
    let first = try report()
    #expect(first.status == 0, "\(first.errorText)")
    let session = try device.value("auth.sessionId")
    let second = try report()
    #expect(second.status == 0 && second.text == first.text, "\(second.errorText)")
    #expect(try device.value("auth.sessionId") == session)
    #expect(device.lab.gateway.sessionCount == 1, "one refresh reached the gateway")
    // Without it nothing tells the two apart, and the session counts as rejected.
    #expect(try device.mfsctl("session", "auth-failure", "--code", "401").status == 0)
    #expect(device.lab.gateway.sessionCount == 2)
  }
}
