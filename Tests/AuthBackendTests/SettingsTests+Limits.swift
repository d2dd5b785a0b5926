@testable import AuthBackend
import BackendStore
import Basics
import HTTPTestSupport
import Testing

extension SettingsTests {
  /// The handle is right, the rest is guessed.
  private static func guess(_ tokens: Tokens, _ fixture: BackendFixture) throws -> String? {
    #expect(try fixture.refresh(tokens.refresh.prefix(40) + String(repeating: "A", count: 28)).status == 400)
    return try fixture.store.family(id: tokens.sid)?.end?.rawValue
  }

  /// The delays that follow on each other when something wrong is tried again and again.
  private static func delays(_ count: Int, _ fixture: BackendFixture, _ body: () throws -> RawResponse) throws
    -> [Int64]
  {
    try (0..<count).map { _ in
      #expect(try body().status != 429)
      let answer = try body()
      #expect(answer.status == 429)
      let delay = try #require(answer.first("Retry-After").flatMap { Int64($0) })
      fixture.clock.advance(by: delay)
      return delay
    }
  }

  static let limits: [Row] = [
    Row("ROTATION_FAILURES: 2") { (fixture, _) throws in
      let tokens = try fixture.signIn()
      #expect(try guess(tokens, fixture) == nil)
      #expect(try guess(tokens, fixture) == "failures")
    },
    Row("ROTATION_FAILURES: 0") { (fixture, _) throws in
      let tokens = try fixture.signIn()
      for _ in 0..<20 { #expect(try guess(tokens, fixture) == nil) }
    },
    Row("ROTATION_FAILURES: 2", "ROTATION_FAILURE_SECONDS: 10") { (fixture, _) throws in
      let tokens = try fixture.signIn()
      for _ in 0..<3 {
        #expect(try guess(tokens, fixture) == nil)
        fixture.clock.advance(by: 10)
      }
      #expect(try guess(tokens, fixture) == nil)
      fixture.clock.advance(by: 9)
      #expect(try guess(tokens, fixture) == "failures")
    },
    Row("TOKENS_PER_CLIENT: 3") { (fixture, _) throws in
      let code = try fixture.code()
      #expect(try (0..<4).map { _ in try fixture.refresh("x").status } == [400, 400, 400, 429])
      #expect(try fixture.redeem(code).status == 429)
    },
    Row("TOKENS_PER_DEVICE: 2") { (fixture, _) throws in
      let first = try fixture.signIn(Asked("bound").with("device_id", "dev-1"))
      let second = try Tokens(fixture.refresh(first.refresh, client: "bound", device: "dev-1"))
      #expect(try fixture.refresh(second.refresh, client: "bound", device: "dev-1").status == 429)
    },
    Row("PASSWORD_LENGTH: 20") { (fixture, _) throws in
      let browser = Browser(fixture)
      _ = try browser.authorize(Asked())
      func change(_ new: String) throws -> RawResponse {
        try browser.submit(
          browser.get("/password"), "change",
          [("password", Registry.password), ("new-password", new), ("new-password-again", new)])
      }
      let short = try change(String(repeating: "é", count: 19))
      #expect(short.status == 400 && short.text.contains("it needs 20 characters"))
      #expect(try change(String(repeating: "é", count: 20)).status == 200)
    },
    Row("FREE_PASSWORDS: 2", "PASSWORD_DELAY_SECONDS: 7", "PASSWORD_DELAY_LIMIT_SECONDS: 20") { (fixture, _) throws in
      func wrong() throws -> RawResponse { try Browser(fixture).authorize(Asked(), password: "wrong") }
      for _ in 0..<2 { #expect(try wrong().status == 401) }
      #expect(try delays(4, fixture, wrong) == [7, 14, 20, 20])
    },
    Row("FREE_USER_CODES: 2", "USER_CODE_DELAY_SECONDS: 7", "USER_CODE_DELAY_LIMIT_SECONDS: 20") {
      (fixture, _) throws in
      let browser = Browser(fixture)
      _ = try browser.authorize(Asked())
      func wrong() throws -> RawResponse {
        try browser.submit(browser.get("/device"), "continue", [("user_code", "WDJB-MJHT")])
      }
      for _ in 0..<2 { #expect(try wrong().status == 404) }
      #expect(try delays(4, fixture, wrong) == [7, 14, 20, 20])
    },
    Row("PASSWORD_WORKERS: 2", "PASSWORD_QUEUE: 1") { (fixture, _) throws in
      let passwords = fixture.backend.passwords
      for _ in 0..<2 { #expect(passwords.enter()) }
      let waiting = try Basics.Thread { _ = passwords.enter() }
      while passwords.waiting == 0 { try Basics.Thread {}.join() }
      #expect(!passwords.enter(), "two are at work and one may wait")
      for _ in 0..<2 { passwords.leave() }
      waiting.join()
      passwords.leave()
    },
    Row("WORKERS: 8", "PASSWORD_QUEUE: 1") { (fixture, _) throws in
      #expect(waitingForProviders(fixture) == 2)
    },
    Row("WORKERS: 512") { (fixture, _) throws in #expect(waitingForProviders(fixture) == 8) },
    Row("WORKERS: 4", "PASSWORD_QUEUE: 1") { (fixture, _) throws in
      #expect(waitingForProviders(fixture) == 1, "never all threads")
    },
  ]

  /// How many requests may wait for a provider's keys at the same time.
  private static func waitingForProviders(_ fixture: BackendFixture) -> Int {
    fixture.backend.exchanges.pass { 1 + waitingForProviders(fixture) } ?? 0
  }
}
