@testable import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import HTTPTestSupport
import Testing

/// A password takes a while to be checked, longer where many wait. What is done to the account meanwhile counts.
@Suite("a sign-in that is overtaken") struct OvertakenSignInTests {
  private func signIn(
    meanwhile change: @escaping @Sendable (inout User) -> Void
  ) throws -> (fixture: BackendFixture, browser: Browser, answer: RawResponse) {
    let fixture = try BackendFixture { $0.passwordWorkers = 1 }
    let browser = Browser(fixture), page = try browser.get(Asked().target)
    // The only worker is ours, so the request waits for it until the account is another.
    let passwords = fixture.backend.passwords
    #expect(passwords.enter())
    let sawItWait = Monitor(false)
    let administrator = try Basics.Thread {
      let deadline = MonotonicInstant.now().advanced(bySeconds: 10)
      while passwords.waiting == 0, MonotonicInstant.now() < deadline { usleep(1_000) }
      sawItWait.withLock { $0 = passwords.waiting == 1 }
      if var alice = try? fixture.store.user(named: "alice") {
        change(&alice)
        _ = try? fixture.store.change(alice, ending: .password, now: fixture.clock.now, denyUntil: nil)
      }
      passwords.leave()
    }
    let answer = try browser.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
    administrator.join()
    #expect(sawItWait.withLock { $0 })
    return (fixture, browser, answer)
  }

  @Test("with the password of before nobody is signed in", arguments: [true, false])
  func theOldPasswordIsWorthNothing(disables: Bool) throws {
    let (fixture, browser, answer) = try signIn { alice in
      if disables { alice.isDisabled = true } else { alice.passwordHash = "$argon2id$another" }
    }
    #expect(answer.status == 401 && answer.text.contains("Wrong email or password."))
    #expect(!browser.cookies.keys.contains { $0.contains("session") || $0.contains("known") })
    #expect(try fixture.audited("sign-in.password") == 0)
    #expect(try fixture.audited("sign-in.failed") == 1)
    #expect(try browser.get(Asked().target).text.contains("name=\"password\""), "nobody is signed in")
  }

  @Test("what does not touch the password does not keep its owner out")
  func otherChangesDoNotMatter() throws {
    let (_, _, answer) = try signIn { $0.claims["name"] = "Another" }
    #expect(answer.status == 303 && answer.destination?["code"] != nil)
  }
}
