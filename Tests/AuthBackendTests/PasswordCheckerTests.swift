@testable import AuthBackend
import Basics
import Glibc
import SecureMemory
import Testing

@Suite("the queue for passwords", .timeLimit(.minutes(1)))
struct PasswordCheckerTests {
  @Test(
    "a place is found and taken in one step, and who finds none changes nothing", arguments: [(2, 3), (1, 0), (0, -1)])
  func places(_ workers: Int, _ queue: Int) {
    let all = max(1, workers) + max(0, queue)
    var places = PasswordPlaces(workers: workers, queue: queue)
    func take() -> Bool { places.take(known: nil) != nil }
    func begin() -> Bool { places.begin(.anybodys) }
    // Each try sees what the one before has taken, though nobody has begun yet.
    for number in 1...all {
      #expect(take())
      #expect(places.waiting == number && places.working == 0)
    }
    let full = places
    #expect(!take() && places == full)
    // No more begin than there are workers, and each that leaves makes one place.
    for number in 1...max(1, workers) {
      #expect(begin())
      #expect(places.working == number && places.waiting == all - number)
    }
    let busy = places
    #expect(!begin() && !take() && places == busy)
    places.leave(.anybodys)
    #expect(take())
    #expect(!take())
    #expect(begin())
    #expect(places == busy)
  }

  @Test("a quarter of the queue is kept for known accounts, one place for each, and who waits has turns by rotation")
  func known() {
    var places = PasswordPlaces(workers: 1, queue: 8)
    let strangers = (0..<9).map { _ in places.take(known: nil) }
    #expect(strangers.count { $0 == .anybodys } == 7 && places.waiting == 7)
    let full = places
    #expect(places.take(known: nil) == nil && places == full)
    let alice = places.take(known: "alice")
    #expect(alice?.account == "alice")
    #expect(places.take(known: "alice") == nil, "the second of an account is anybody")
    let bob = places.take(known: "bob")
    #expect(bob?.account == "bob" && places.take(known: "carol") == nil)
    guard let alice, let bob else { return }
    // Known ones first, then by turns; nobody begins twice, or before a worker is free.
    func begin(_ place: PasswordPlaces.Place) -> Bool { places.begin(place) }
    #expect(!begin(.anybodys) && begin(alice) && places.working == 1)
    #expect(!begin(.anybodys) && !begin(bob))
    places.leave(alice)
    #expect(!begin(bob) && begin(.anybodys))
    places.leave(.anybodys)
    #expect(!begin(.anybodys) && begin(bob))
    places.leave(bob)
    #expect(places.take(known: "alice") == alice, "a place that was left is free")
    #expect(begin(.anybodys))
    places.leave(.anybodys)
    #expect(!begin(.anybodys) && begin(alice))
    places.leave(alice)
    for _ in 0..<5 {
      #expect(begin(.anybodys))
      places.leave(.anybodys)
    }
    #expect(places.waiting == 0 && places.working == 0 && !begin(.anybodys) && !begin(bob))
  }

  @Test("of many, those that there are places for get in, and each has its turn when another leaves")
  func turns() throws {
    let checker = try PasswordChecker(workers: 2, queue: 3)
    // How many have begun, and how many of those may go.
    let entered = Monitor(0), allowed = Monitor(0), left = Monitor(0)
    let threads = try (0..<5).map { number in
      let thread = try Basics.Thread {
        guard checker.enter() else { return }
        entered.withLock { $0 += 1 }
        allowed.wait { allowed in
          guard allowed > 0 else { return Optional<Void>.none }
          allowed -= 1
          return .some(())
        }
        checker.leave()
        left.withLock { $0 += 1 }
      }
      // The next comes when this one has its place: two begin, three wait.
      if number < 2 {
        #expect(entered.wait { $0 == number + 1 ? $0 : nil } == number + 1)
      } else {
        while checker.waiting < number - 1 { sched_yield() }
      }
      return thread
    }
    #expect(entered.withLock { $0 } == 2 && checker.waiting == 3)
    for _ in 0..<27 { #expect(!checker.enter()) }
    for gone in 1...5 {
      allowed.withLock { $0 += 1 }
      left.wait { $0 == gone ? () : nil }
      let begun = min(5, 2 + gone)
      entered.wait { $0 >= begun ? () : nil }
      #expect(entered.withLock { $0 } == begun && checker.waiting == 5 - begun)
    }
    for thread in threads { thread.join() }
    #expect(checker.enter())
    checker.leave()
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
