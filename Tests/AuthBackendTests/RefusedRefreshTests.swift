import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// Every refresh that is refused leaves an event and a record of the audit log, which say why.
@Suite("Refused refreshes")
struct RefusedRefreshTests {
  /// Has a refresh refused for a reason; its answer, and the sign-in that was meant.
  private func provoke(
    _ refusal: RotationOutcome.Refusal, _ fixture: BackendFixture
  ) throws -> (answer: RawResponse, sid: String) {
    let isBound = refusal == .device
    let tokens = try fixture.signIn(isBound ? Asked("bound").with("device_id", "dev-1") : Asked())
    var token = tokens.refresh, client = isBound ? "bound" : "app", device: String?, scope: String?
    switch refusal {
    // The handle is right, the rest is guessed.
    case .unknown, .failures: token = token.prefix(40) + String(repeating: "A", count: 28)
    case .replay: _ = try Tokens(fixture.refresh(token))
    case .ended: #expect(try fixture.revoke(token).status == 200)
    case .expired: try fixture.advance(by: 1_000)
    case .client: client = "other"
    case .device: device = "dev-2"
    case .scope: scope = "feed"
    case .user:
      var alice = try #require(try fixture.store.user(id: "user_alice"))
      alice.isDisabled = true
      _ = try fixture.store.change(alice, ending: nil, now: fixture.clock.now, denyUntil: nil)
    }
    return (try fixture.refresh(token, client: client, device: device, scope: scope), tokens.sid)
  }

  private func records(_ fixture: BackendFixture) throws -> [[String: String]] {
    try fixture.store.auditRecords(after: 0, limit: 1_000).filter { $0.event == "refresh.refused" }.map { record in
      Dictionary(record.fields.map { ($0.name, $0.value) }) { $1 }
    }
  }

  @Test("each reason is told and recorded, once", arguments: RotationOutcome.Refusal.allCases)
  func eachIsRecorded(_ refusal: RotationOutcome.Refusal) throws {
    let fixture = try BackendFixture {
      $0.idleSeconds = 1_000
      if refusal == .failures { $0.rotationFailures = 1 }
    }
    let (answer, sid) = try provoke(refusal, fixture)
    #expect(answer.status == 400)
    #expect(answer.error == (refusal == .scope ? "invalid_scope" : "invalid_grant"))
    let events = fixture.events.named("refresh.refused"), records = try records(fixture)
    try #require(events.count == 1 && records.count == 1, "\(events), \(records)")
    for fields in [events[0].fields, records[0]] {
      #expect(fields["reason"] == refusal.rawValue)
      #expect(fields["sid"] == sid && fields["user"] == "user_alice" && fields["address"] == "127.0.0.1")
      #expect(fields["client"] == (refusal == .client ? "other" : refusal == .device ? "bound" : "app"))
      #expect(fields["device"] == (refusal == .device ? "dev-2" : nil))
      #expect(fields["ended"] == ([.replay, .failures].contains(refusal) ? "now" : nil))
    }
    #expect(events[0].isAlert == [.replay, .failures, .device].contains(refusal))
  }

  @Test("a text that is no refresh token, and one that names no sign-in, are recorded too")
  func nobodys() throws {
    let fixture = try BackendFixture()
    for token in ["x", "mfr_" + String(repeating: "A", count: 64)] {
      #expect(try fixture.refresh(token).error == "invalid_grant")
    }
    #expect(fixture.events.named("refresh.refused").map { $0.fields["reason"] } == ["unknown", "unknown"])
    let records = try records(fixture)
    #expect(records.first?["reason"] == "unknown" && records.allSatisfy { $0["sid"] == nil })
  }
}
