import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import TestSupport
import Foundation
import Testing

@Suite("/oauth/token: refresh tokens")
struct RefreshTests {
  private func isRefused(_ answer: RawResponse, _ place: SourceLocation = #_sourceLocation) {
    #expect(answer.status == 400, sourceLocation: place)
    #expect(answer.error == "invalid_grant", sourceLocation: place)
  }

  @Test("RF-01 a refresh gives a new token, and the old one is spent")
  func rotation() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn()
    let answer = try fixture.refresh(first.refresh), second = try Tokens(answer)
    #expect(answer.first("Cache-Control") == "no-store")
    #expect(second.refresh != first.refresh && second.access != first.access)
    #expect(try fixture.live([first.refresh, second.refresh]) == [second.refresh])
    #expect(second.sid == first.sid)
    for text in [first.refresh, second.refresh] {
      for file in ["auth.db", "auth.db-wal"] { #expect(try !contains(fixture.folder(file), text)) }
    }
    // What is kept of them are their hashes under the server's pepper.
    #expect(try fixture.rows("SELECT lower(hex(hash)) FROM spent") == fixture.keyedHashes(of: first.refresh))
    #expect(try fixture.rows("SELECT lower(hex(current_hash)) FROM family") == fixture.keyedHashes(of: second.refresh))
  }

  @Test("RF-02 a spent token ends its family at once, with one alert")
  func replay() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(),
      second = try Tokens(fixture.refresh(first.refresh))
    fixture.clock.advance(by: 30)
    #expect(try fixture.userInfo(second.access).status == 200)
    isRefused(try fixture.refresh(first.refresh))
    isRefused(try fixture.refresh(second.refresh))
    // The access tokens of the family go to the denylist.
    #expect(try fixture.userInfo(second.access).status == 401)
    #expect(try fixture.userInfo(first.access).status == 401)
    #expect(try fixture.store.denied(now: fixture.clock.now)[first.sid] != nil)
    let alerts = fixture.events.alerts
    #expect(alerts.map(\.name) == ["refresh.refused"])
    #expect(alerts.first?.fields["reason"] == "replay")
    #expect(alerts.first?.fields["sid"] == first.sid)
    let records = try fixture.store.auditRecords(after: 0, limit: 1_000).filter { record in
      record.event == "refresh.refused" && record.fields.contains { $0.name == "reason" && $0.value == "replay" }
    }
    #expect(records.count == 1)
    #expect(try fixture.store.family(id: first.sid)?.end == .replay)
  }

  @Test("RF-04 within the grace the direct predecessor gets the same successor")
  func grace() throws {
    let fixture = try BackendFixture(), asked = Asked("bound").with("device_id", "dev-1")
    let first = try fixture.signIn(asked)
    func refresh(_ token: String) throws -> RawResponse { try fixture.refresh(token, client: "bound", device: "dev-1") }
    let second = try Tokens(refresh(first.refresh))
    fixture.clock.advance(by: 9)
    let again = try Tokens(refresh(first.refresh))
    #expect(again.refresh == second.refresh)
    #expect(try fixture.live([first.refresh, second.refresh]) == [second.refresh])
    #expect(fixture.events.named("refresh.repeated").count == 1)
    #expect(try fixture.audited("refresh.repeated") == 1)
    #expect(fixture.events.alerts.isEmpty)
    // Once the successor was used there is no predecessor to be kind to.
    let third = try Tokens(refresh(second.refresh))
    isRefused(try refresh(first.refresh))
    isRefused(try refresh(third.refresh))

    let late = try fixture.signIn(asked)
    _ = try Tokens(refresh(late.refresh))
    fixture.clock.advance(by: 10)
    isRefused(try refresh(late.refresh))
  }

  @Test("RF-09 more scope than was granted is refused, and nothing is rotated")
  func scope() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(Asked(scope: "a b"))
    for scope in ["a b d", "d", "openid", "a b offline_access", "\"", "A"] {
      let answer = try fixture.refresh(tokens.refresh, scope: scope)
      #expect(answer.status == 400)
      #expect(answer.error == "invalid_scope")
    }
    let narrow = try Tokens(fixture.refresh(tokens.refresh, scope: "b"))
    #expect(narrow.json["scope"]?.string == "b")
    #expect(try decoded(narrow.access).claims["scope"]?.string == "b")
    // RFC 6749 6: the new refresh token has the scope of the old one.
    let wide = try Tokens(fixture.refresh(narrow.refresh))
    #expect(wide.json["scope"]?.string == "a b")
  }

  @Test("a refresh gives tokens for the resource of before, whatever it asks for (RFC 9700 4.14.2)")
  func resource() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn()
    var token = first.refresh
    for (name, value) in [("resource", "https://other.example/api"), ("audience", "other-api"), ("client", "other")] {
      let answer = try fixture.post(
        "/oauth/token",
        [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "app"), (name, value)])
      let next = try Tokens(answer)
      #expect(try decoded(next.access).claims["aud"]?.string == "api", "\(name)")
      token = next.refresh
    }
  }

  @Test("RF-10 another client's token is refused, and stays alive")
  func otherClient() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn(),
      second = try Tokens(fixture.refresh(first.refresh))
    for token in [second.refresh, first.refresh] { isRefused(try fixture.refresh(token, client: "other")) }
    #expect(fixture.events.named("refresh.refused").map { $0.fields["reason"] } == ["client", "client"])
    #expect(try fixture.refresh(second.refresh).status == 200)
  }

  @Test("RF-11 another device, or none, is refused with an alert", arguments: ["dev-2", nil, "DEV-1"])
  func otherDevice(_ device: String?) throws {
    let fixture = try BackendFixture()
    for client in ["bound", "strict"] {
      let tokens = try fixture.signIn(Asked(client).with("device_id", "dev-1"))
      isRefused(try fixture.refresh(tokens.refresh, client: client, device: device))
      let alert = try #require(fixture.events.alerts.last)
      #expect(alert.fields["reason"] == "device")
      // The policy decides whether that ends the family.
      let owner = try fixture.refresh(tokens.refresh, client: client, device: "dev-1")
      #expect(owner.status == (client == "strict" ? 400 : 200))
      #expect(try fixture.userInfo(tokens.access).status == (client == "strict" ? 401 : 200))
    }
  }

  @Test("RF-12 the idle lifetime, to the second", arguments: [(-1, 200), (0, 400), (1, 400)])
  func idle(_ offset: Int64, _ status: Int) throws {
    let fixture = try BackendFixture { $0.idleSeconds = 1_000 }
    let tokens = try fixture.signIn()
    try fixture.advance(by: 1_000 + offset)
    let answer = try fixture.refresh(tokens.refresh)
    #expect(answer.status == status)
    if status == 400 { isRefused(answer) }
  }

  @Test(
    "RF-12 the absolute lifetime, to the second, which no rotation extends", arguments: [(-1, 200), (0, 400), (1, 400)])
  func absolute(_ offset: Int64, _ status: Int) throws {
    let fixture = try BackendFixture {
      $0.idleSeconds = 500
      $0.familySeconds = 2_000
    }
    var tokens = try fixture.signIn()
    for _ in 0..<4 {
      try fixture.advance(by: 400)
      tokens = try Tokens(fixture.refresh(tokens.refresh))
    }
    try fixture.advance(by: 400 + offset)
    let answer = try fixture.refresh(tokens.refresh)
    #expect(answer.status == status)
    if status == 400 { isRefused(answer) }
  }

  @Test("RF-13 an ID token of a refresh keeps iss, sub, aud and auth_time, with a new iat")
  func idToken() throws {
    let fixture = try BackendFixture(), first = try fixture.signIn()
    fixture.clock.advance(by: 300)
    let second = try Tokens(fixture.refresh(first.refresh))
    let before = try decoded(first.idToken).claims, after = try decoded(second.idToken).claims
    for name in ["iss", "sub", "aud", "auth_time", "sid"] { #expect(after[name] == before[name]) }
    #expect(after["iat"]?.number == (before["iat"]?.number ?? 0) + 300)
    #expect(after["at_hash"] != before["at_hash"])
    #expect(after["nonce"] == nil, "OpenID Connect Core 12.2: it should not have one")
  }

  @Test("RF-14 an unknown token is told the same as one that is over, in about the same time")
  func unknown() throws {
    let fixture = try BackendFixture { $0.idleSeconds = 1_000 }
    let expired = try fixture.signIn(), other = try fixture.signIn()
    try fixture.advance(by: 1_000)
    let random = "abcdefghijklmnopqrstuvwxyz0123456789-_ABCDE"
    #expect(random.utf8.count == 43)
    let wellFormed = "mfr_" + String(repeating: random, count: 2).prefix(64)
    let before = try fixture.store.family(id: other.sid)
    let told = try fixture.refresh(expired.refresh).text
    func time(_ token: String) throws -> Duration {
      var text = ""
      let time = try ContinuousClock().measure { text = try fixture.refresh(token).text }
      #expect(text == told)
      return time
    }
    // The shortest time is what the work takes: on a busy machine it comes after many tries. Work that one of them alone has, such as a
    // password's check, would be there each time.
    for token in [random, String(wellFormed)] {
      var reference = try time(expired.refresh), answer = try time(token), tries = 1
      while tries < 15 || tries < 500 && !(answer < reference * 4 && reference < answer * 4) {
        (reference, answer, tries) = (
          min(reference, try time(expired.refresh)), min(answer, try time(token)), tries + 1
        )
      }
      #expect(answer < reference * 4 && reference < answer * 4, "\(answer) and \(reference)")
      isRefused(try fixture.refresh(token))
    }
    #expect(try fixture.store.family(id: other.sid) == before)
  }

  @Test("RF-15 a rotation whose answer was lost in a crash can be asked for again within the grace")
  func crash() throws {
    // What a killed process leaves is what the file system has at that moment: the answer is lost, and the files are taken as they are.
    let asked = Asked("bound").with("device_id", "dev-1"), fixture = try BackendFixture()
    let first = try fixture.signIn(asked), settled = try fixture.signIn(asked, user: "bob")
    let committed = try Tokens(fixture.refresh(settled.refresh, client: "bound", device: "dev-1"))
    try fixture.loseAnswer(toRefreshOf: first.refresh, client: "bound", device: "dev-1")
    let image = try Sandbox()
    for file in ["auth.db", "auth.db-wal"] {
      try FileManager.default.copyItem(atPath: fixture.folder(file), toPath: image(file))
    }
    let after = try BackendFixture(after: (fixture, image))
    after.clock.advance(by: 5)
    let again = try Tokens(after.refresh(first.refresh, client: "bound", device: "dev-1"))
    #expect(again.sid == first.sid)
    #expect(try after.live([first.refresh, again.refresh]) == [again.refresh])
    #expect(try after.refresh(again.refresh, client: "bound", device: "dev-1").status == 200)
    #expect(try after.refresh(committed.refresh, client: "bound", device: "dev-1").status == 200)
    isRefused(try after.refresh(settled.refresh, client: "bound", device: "dev-1"))
  }

  @Test("so many failed rotations that name a family end it")
  func failures() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    // The handle is right, the rest is guessed.
    func guess(_ number: Int) -> String { tokens.refresh.prefix(40) + String(repeating: "A", count: 27) + "\(number)" }
    for number in 0..<4 { isRefused(try fixture.refresh(guess(number))) }
    #expect(try fixture.userInfo(tokens.access).status == 200)
    isRefused(try fixture.refresh(guess(4)))
    #expect(fixture.events.alerts.map { $0.fields["reason"] } == ["failures"])
    isRefused(try fixture.refresh(tokens.refresh))
    #expect(try fixture.userInfo(tokens.access).status == 401)
  }

  @Test(
    "failed rotations count for ten minutes, to the second",
    arguments: [(599, .failures), (600, nil)] as [(Int64, Family.End?)])
  func failuresAreForgotten(_ seconds: Int64, _ end: Family.End?) throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    func guess() throws -> RawResponse {
      try fixture.refresh(tokens.refresh.prefix(40) + String(repeating: "A", count: 28))
    }
    for _ in 0..<4 { isRefused(try guess()) }
    fixture.clock.advance(by: seconds)
    isRefused(try guess())
    #expect(try fixture.store.family(id: tokens.sid)?.end == end)
    #expect(try fixture.refresh(tokens.refresh).status == (end == nil ? 200 : 400))
    #expect(fixture.events.alerts.map { $0.fields["reason"] } == (end == nil ? [] : ["failures"]))
  }

  @Test("a token is one kind of text, of RFC 6749's characters, and nothing else is taken for it")
  func form() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn()
    #expect(tokens.refresh.utf8.count == 68)
    for other in [
      tokens.refresh + "=", tokens.refresh + " ", " " + tokens.refresh, tokens.refresh.uppercased(),
      "mfc_" + tokens.refresh.dropFirst(4), tokens.access, tokens.id ?? "",
    ] {
      isRefused(try fixture.refresh(other))
    }
    #expect(try fixture.refresh(tokens.refresh).status == 200)
  }
}
