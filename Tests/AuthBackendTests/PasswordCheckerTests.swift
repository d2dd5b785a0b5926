@testable import AuthBackend
import Basics
import SecureMemory
import Testing

@Suite("the queue for passwords")
struct PasswordCheckerTests {
  @Test("of many who come at once, no more get in than there are places for")
  func placesAreTakenOnce() throws {
    // What two steps would let through is a matter of chance; of so many rounds some would have it.
    for _ in 0..<600 {
      let checker = try PasswordChecker(workers: 2, queue: 3), refused = Monitor(0)
      let held = Monitor(true), entered = Monitor(0), ready = Monitor(0)
      let threads = try (0..<32).map { _ in
        try Basics.Thread {
          // All are let go by one, and then stand in each other's way.
          ready.withLock { $0 += 1 }
          ready.wait { $0 == 33 ? () : nil }
          guard checker.enter() else { return refused.withLock { $0 += 1 } }
          entered.withLock { $0 += 1 }
          held.wait { $0 ? nil : () }
          checker.leave()
        }
      }
      ready.wait { $0 == 32 ? () : nil }
      ready.withLock { $0 += 1 }
      let wereRefused = refused.wait(until: .now().advanced(bySeconds: 10)) { $0 >= 27 ? $0 : nil }
      #expect(wereRefused == 27)
      #expect(entered.wait(until: .now().advanced(bySeconds: 10)) { $0 >= 2 ? $0 : nil } == 2)
      held.withLock { $0 = false }
      for thread in threads { thread.join() }
      #expect(refused.withLock { $0 } == 27 && entered.withLock { $0 } == 5)
      #expect(checker.waiting == 0)
      if wereRefused != 27 { return }
    }
  }

  @Test("without a queue, who finds no worker free is refused, and let in afterwards")
  func withoutAQueue() throws {
    let checker = try PasswordChecker(workers: 1, queue: 0)
    #expect(checker.enter())
    #expect(!checker.enter())
    checker.leave()
    #expect(checker.enter())
    checker.leave()
  }

  @Test("a password is the one of its hash, whoever made that, and of no other")
  func verdicts() throws {
    let checker = try PasswordChecker(workers: 1, queue: 0)
    let right = try SecureBytes(publicText: Registry.password), wrong = try SecureBytes(publicText: "wrong")
    let empty = try SecureBytes(publicText: "")
    // Of the reference implementation's tests: two lanes, which ours never has, and a salt of eight bytes.
    let foreign = "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"
    #expect(try checker.check(SecureBytes(publicText: "password"), against: foreign) == true)
    for hash in [Registry.cheapHash, try PasswordChecker.hash(right)] {
      #expect(try checker.check(right, against: hash) == true)
      #expect(try checker.check(wrong, against: hash) == false)
      #expect(try checker.check(empty, against: hash) == false)
      // One bit of the hash, of the salt, of the costs.
      var changed = Array(hash)
      changed[changed.count - 2] = changed[changed.count - 2] == "A" ? "B" : "A"
      for other in [String(changed), hash.replacing(",t=", with: ",t=1"), String(hash.dropLast(20)), hash + "$"] {
        #expect(try checker.check(right, against: other) == false, "\(other)")
      }
    }
    let strange = "$argon2id$v=19$m=1,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"
    for hash in [foreign, "", "$", "x", "$argon2id$another", strange] {
      #expect(try checker.check(right, against: hash) == false, "\(hash)")
    }
    #expect(try checker.check(right, against: nil) == false)
  }
}
