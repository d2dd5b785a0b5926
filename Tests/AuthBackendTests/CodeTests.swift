@testable import AuthBackend
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

@Suite("/oauth/token: authorization codes")
struct CodeTests {
  private func isRefused(_ answer: RawResponse, _ place: SourceLocation = #_sourceLocation) {
    #expect(answer.status == 400, sourceLocation: place)
    #expect(answer.error == "invalid_grant", sourceLocation: place)
  }

  @Test("CD-02 of 20 that redeem a code at once one is given tokens")
  func once() throws {
    let fixture = try BackendFixture(workers: 24), code = try fixture.code()
    let answers = try inParallel(20) { _ in try fixture.redeem(code) }
    #expect(answers.count { $0.status == 200 } == 1)
    #expect(answers.count { $0.status == 400 && $0.error == "invalid_grant" } == 19)
    let live = try fixture.store.liveFamilies(user: "user_alice", device: nil, now: fixture.clock.now, limit: 100)
    #expect(live.count <= 1)
    // RFC 6749 4.1.2: a second use revokes what the first one gave.
    #expect(live.isEmpty)
  }

  @Test("a code that comes back ends what it gave: the refresh token and the access token (RFC 6749 4.1.2)")
  func replay() throws {
    let fixture = try BackendFixture(), code = try fixture.code()
    let tokens = try Tokens(fixture.redeem(code))
    #expect(try fixture.userInfo(tokens.access).status == 200)
    isRefused(try fixture.redeem(code))
    isRefused(try fixture.refresh(tokens.refresh))
    #expect(try fixture.userInfo(tokens.access).status == 401)
    #expect(fixture.events.alerts.map(\.name) == ["code.refused"])
    #expect(fixture.events.alerts.first?.fields["user"] == "user_alice")
  }

  @Test("what is refused names whose code it was, and nobody for one that is none")
  func whoseCode() throws {
    let fixture = try BackendFixture(), code = try fixture.code()
    isRefused(try fixture.redeem(code, client: "other"))
    isRefused(try fixture.redeem(code))
    isRefused(try fixture.redeem("mfc_" + String(repeating: "A", count: 43)))
    let events = fixture.events.named("code.refused")
    #expect(events.map { $0.fields["reason"] } == ["mismatch", "replay", "unknown"])
    #expect(events.map { $0.fields["user"] } == ["user_alice", "user_alice", nil])
    let records = try fixture.store.auditRecords(after: 0, limit: 100).filter { $0.event == "code.refused" }
    #expect(records.map { $0.fields.first { $0.name == "user" }?.value } == ["user_alice", "user_alice", nil])
  }

  @Test("CD-03 another client gets nothing for a code")
  func otherClient() throws {
    let fixture = try BackendFixture()
    let answer = try fixture.redeem(fixture.code(), client: "other")
    isRefused(answer)
    #expect(try answer.json()["access_token"] == nil)
    isRefused(try fixture.redeem(fixture.code(), client: "other", redirect: "https://other.example/cb"))
  }

  @Test(
    "CD-04 another redirect_uri than was asked with is refused",
    arguments: [
      "https://app.example/other", "https://app.example/cb?", "https://app.example/cb/", "https://app.example/cb ", "",
    ])
  func otherRedirect(_ uri: String) throws {
    let fixture = try BackendFixture()
    isRefused(try fixture.redeem(fixture.code(), redirect: uri))
  }

  @Test(
    "CD-05 no code_verifier, or a wrong one, never succeeds",
    arguments: [
      nil, "", String(repeating: "A", count: 43), String(Asked.verifier.dropLast()), Asked.verifier + "=",
      Asked.challenge,
      Asked.verifier.uppercased(), String(repeating: "é", count: 43), String(repeating: "A", count: 129),
    ])
  func verifier(_ verifier: String?) throws {
    let fixture = try BackendFixture(), code = try fixture.code()
    let answer = try fixture.redeem(code, verifier: verifier)
    #expect(answer.status == 400)
    #expect(["invalid_grant", "invalid_request"].contains(answer.error))
    // A code is tried once (RFC 7636 4.6 with RFC 6749 4.1.2): a guess spends it.
    if let verifier, !verifier.isEmpty { isRefused(try fixture.redeem(code)) }
  }

  @Test("CD-08 verifiers of 43 and of 128 characters are taken")
  func lengths() throws {
    let fixture = try BackendFixture()
    let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    for verifier in [String(all.suffix(43)), String((all + all).prefix(128))] {
      let asked = Asked().with("code_challenge", PKCE.challenge(of: verifier))
      #expect(try fixture.redeem(fixture.code(asked), asked, verifier: verifier).status == 200)
    }
    #expect(PKCE.challenge(of: Asked.verifier) == Asked.challenge, "RFC 7636 appendix B")
    for verifier in [String(all.suffix(42)), String((all + all).prefix(129)), String(all.suffix(42)) + "+"] {
      let asked = Asked().with("code_challenge", PKCE.challenge(of: verifier))
      isRefused(try fixture.redeem(fixture.code(asked), asked, verifier: verifier))
    }
  }

  @Test("CD-11 a user who was disabled, or has signed out, gets no tokens for a code")
  func goneUser() throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let code = try fixture.code(in: browser)
    let page = try browser.get("/oauth/end_session")
    #expect(try browser.submit(page, "sign-out").status == 200)
    isRefused(try fixture.redeem(code))

    let second = try fixture.code()
    var alice = try #require(try fixture.store.user(id: "user_alice"))
    alice.isDisabled = true
    _ = try fixture.store.change(alice, ending: nil, now: fixture.clock.now, denyUntil: nil)
    isRefused(try fixture.redeem(second))
  }

  @Test("a code is bound to the device of its request", arguments: ["dev-2", "DEV-1"])
  func device(_ device: String) throws {
    let fixture = try BackendFixture(), asked = Asked("bound").with("device_id", "dev-1")
    isRefused(try fixture.redeem(fixture.code(asked), asked.with("device_id", device)))
    let tokens = try fixture.signIn(asked)
    #expect(try decoded(tokens.access).claims["device_id"]?.string == "dev-1")
    // A request that tells none is bound by what the code was issued for.
    let untold = try Tokens(fixture.redeem(fixture.code(asked), asked.with("device_id", "")))
    #expect(try decoded(untold.access).claims["device_id"]?.string == "dev-1")
    #expect(try fixture.refresh(untold.refresh).error == "invalid_grant")
    #expect(try fixture.store.devices(user: "user_alice", limit: 10).map(\.id) == ["dev-1"])
  }

  @Test(
    "what is no code is refused, whatever it looks like",
    arguments: [
      "x", "mfc_", "mfr_" + String(repeating: "A", count: 43), "mfc_" + String(repeating: "A", count: 43),
      "mfc_" + String(repeating: "A", count: 60_000), "' OR 1=1 --",
    ])
  func noCode(_ text: String) throws { isRefused(try BackendFixture().redeem(text)) }
}
