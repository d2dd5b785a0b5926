import Basics
import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// Faults that others have reported in public of clients and gateways like these, each tried here. A test is named after what
/// went wrong there; the comment says where that is told. `OIDCTests` has those that need an identity provider.
@Suite struct PublicReportTests {
  private func log(_ device: DeviceBuild) throws -> String {
    try String(contentsOfFile: device.sandbox("home/state/session.log"), encoding: .utf8)
  }

  /// couchbase/couchbase-lite-java-core#576: a change feed looped on 401 after its cookie had run out, and neither signed in again
  /// nor told the app.
  @Test func aFeedLoopsOn401AndTellsNobody() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.lab.gateway.expireSessions()
    #expect(try device.mfsctl("session", "auth-failure", "--code", "401").status == 0, "it signs in again")
    #expect(try log(device).contains(#""stopReplicator","cancelScheduledRefresh","runRefresh""#))
    try device.lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: "another"))
    let told = try device.mfsctl("session", "auth-failure", "--code", "10401")
    #expect(told.status == 61 && told.errorText.contains("Sign in to sync."), "\(told.errorText)")
    device.fail(.hugeBody)
    #expect(try device.mfsctl("session", "auth-failure", "--code", "10401").status == 61, "nobody is asked any more")
    #expect(try device.mfsctl("session", "status").text.contains("Sign-in needed"))
  }

  /// couchbase/couchbase-lite-java-core#1397: a session was deleted at the server, and the open pull neither stopped nor said so.
  /// An open socket is not asked about either here; the next request is what notices.
  @Test func aSessionThatIsDeletedAtTheServerGoesUnnoticed() throws {
    let device = try DeviceBuild()
    device.lab.gateway.setDocument("note", json: #"{"text":"hello"}"#)
    try #require(try device.login().status == 0)
    let before = try device.value("auth.sessionId")
    device.lab.gateway.expireSessions()
    #expect(try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note").text.contains("hello"))
    #expect(try device.value("auth.sessionId") != before)
    #expect(try log(device).contains(#""replicatorFailed 401""#), "it is in the log")
  }

  /// couchbase/sync_gateway#69: a session outlived its time; its end was written with nanoseconds and a local offset.
  @Test func aSessionOutlivesItsTime() throws {
    let device = try DeviceBuild {
      ($0.options.sessionBody, $0.options.expiresFormat, $0.options.sessionTTL) = (.triple, .offset, 600)
    }
    let start = Timestamp.now()
    let login = try JSONReader.value(Array(try device.login().text.utf8))
    let end = try #require(login["sessionExpiresAt"]?.string.flatMap { Timestamp(rfc3339: $0) })
    #expect((600...660).contains(end.seconds - start.seconds), "read as what it means, not as what it looks like")
    device.lab.clock.advance(by: 601)
    let old = try device.value("auth.sessionId")
    #expect(try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/").status == 0)
    #expect(try device.value("auth.sessionId") != old, "the gateway took the one from before no more")
  }

  /// int128/kubelogin#851: a run hung on another's lock without a hint who has it.
  @Test func aRunHangsOnALockWithoutAHint() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    var slow = Fault(.slow)
    slow.delayMilliseconds = 3_500
    var scenario = device.lab.gateway.scenario
    scenario.faults = [slow]
    device.lab.gateway.scenario = scenario
    let first = try device.background("session", "refresh")
    // The lock names its holder as soon as it is taken.
    let lock = device.sandbox("home/state/session/refresh-default.lock")
    for _ in 0..<1_000 where (try? Data(contentsOf: URL(fileURLWithPath: lock)))?.isEmpty != false { usleep(10_000) }
    let second = try device.background("session", "refresh")
    let said = second.errorText(until: { $0.contains("waiting") })
    #expect(said.contains("waiting for another mfsctl that refreshes this session (process "), "\(said)")
    #expect(first.wait() == 0 && second.wait() == 0, "\(first.errorText) \(second.errorText)")
  }
}
