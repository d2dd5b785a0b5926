import Basics
import Foundation
import JOSE
import Testing

/// A count that threads share.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add() { lock.withLock { count += 1 } }
}

/// An issuer's keys with a clock, both for the test to turn.
private final class Issuer: @unchecked Sendable {
  private let lock = NSLock()
  private var time: Int64 = 1_800_000_000
  private var answer: Result<FetchedKeys, Failure> = .failure(Failure(.network, "the issuer is away"))
  private var count = 0
  private var pause: Double = 0
  private var gate: (entered: DispatchSemaphore, go: DispatchSemaphore)?
  private var running = 0
  private var most = 0

  lazy var cache = JWKSCache(
    clock: { self.lock.withLock { Timestamp(seconds: self.time) } },
    fetch: { () throws(Failure) -> FetchedKeys in try self.fetch() })

  private func fetch() throws(Failure) -> FetchedKeys {
    let (answer, pause, gate) = lock.withLock {
      count += 1
      running += 1
      most = max(most, running)
      return (self.answer, self.pause, self.gate)
    }
    if pause > 0 { Thread.sleep(forTimeInterval: pause) }
    gate?.entered.signal()
    gate?.go.wait()
    lock.withLock { running -= 1 }
    return try answer.get()
  }

  var fetches: Int { lock.withLock { count } }
  var mostAtOnce: Int { lock.withLock { most } }
  func pass(_ seconds: Int64) { lock.withLock { time += seconds } }
  /// Has each fetch say that it began, and wait.
  func hold() -> (entered: DispatchSemaphore, go: DispatchSemaphore) {
    let gate = (entered: DispatchSemaphore(value: 0), go: DispatchSemaphore(value: 0))
    lock.withLock { self.gate = gate }
    return gate
  }
  func slow(_ seconds: Double) { lock.withLock { pause = seconds } }

  func publish(_ keys: SigningKey..., maximumAge: Int64? = nil) {
    let document = JSONWebKeySet(keys.map(\.publicKey)).json.text
    lock.withLock { answer = .success(FetchedKeys(bytes(document), maximumAge: maximumAge)) }
  }

  func answer(_ text: String) { lock.withLock { answer = .success(FetchedKeys(bytes(text))) } }
  func fail() { lock.withLock { answer = .failure(Failure(.network, "the issuer is away")) } }

  /// Why a token of a key is refused; nil when it is taken.
  func check(_ key: SigningKey) throws -> TokenRefusal.Reason? {
    try refusal(text(try key.sign(bytes("{}"))), cache)?.reason
  }
}

@Suite("The cache of an issuer's keys")
struct KeyCacheTests {
  private let one = Keys.edDSA, two = Keys.es256
  private func stranger() throws -> SigningKey { try SigningKey.generate(.edDSA) }

  @Test(
    "one fetch serves until the age limit, which is held within bounds",
    arguments: [
      (nil, 3_600), (0, 300), (10, 300), (900, 900), (10_000_000, 86_400), (Int64.max, 86_400),
    ] as [(Int64?, Int64)])
  func age(maximumAge: Int64?, fresh: Int64) throws {
    let issuer = Issuer()
    issuer.publish(one, maximumAge: maximumAge)
    for _ in 0..<3 { #expect(try issuer.check(one) == nil) }
    issuer.pass(fresh - 1)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 1)
    issuer.pass(1)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 2)
  }

  @Test("a new key works at once when the cooldown has passed, and not before")
  func rotation() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.publish(one, two)
    issuer.pass(59)
    #expect(try issuer.check(two) == .unknownKey)
    #expect(issuer.fetches == 1)
    issuer.pass(1)
    #expect(try issuer.check(two) == nil)
    #expect(issuer.fetches == 2)
    issuer.publish(two)
    issuer.pass(3_600)
    #expect(try issuer.check(one) == .unknownKey)
  }

  @Test("made-up key ids cause one fetch a minute; a known unknown one none for two minutes")
  func flood() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    for _ in 0..<50 { #expect(try issuer.check(try stranger()) == .unknownKey) }
    #expect(issuer.fetches == 1)
    issuer.pass(60)
    let known = try stranger()
    #expect(try issuer.check(known) == .unknownKey)
    #expect(issuer.fetches == 2)
    for _ in 0..<50 { #expect(try issuer.check(try stranger()) == .unknownKey) }
    #expect(issuer.fetches == 2)
    issuer.pass(119)
    #expect(try issuer.check(known) == .unknownKey)
    #expect(issuer.fetches == 2)
    issuer.pass(1)
    #expect(try issuer.check(known) == .unknownKey)
    #expect(issuer.fetches == 3)
    #expect(try issuer.check(one) == nil)
  }

  @Test("64 unknown key ids are remembered, the oldest is dropped for another", arguments: [63, 64])
  func bounded(others: Int) throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.pass(60)
    let first = try stranger()
    #expect(try issuer.check(first) == .unknownKey)
    // A clock that is set back allows a fetch at once, so that all of them are looked up within two minutes.
    for _ in 0..<others {
      issuer.pass(-1)
      #expect(try issuer.check(try stranger()) == .unknownKey)
    }
    #expect(issuer.fetches == 2 + others)
    issuer.pass(Int64(others) + 60)
    #expect(try issuer.check(first) == .unknownKey)
    #expect(issuer.fetches == 2 + others + (others < JWKSCache.absentLimit ? 0 : 1))
  }

  @Test("an unknown key id is looked up again once the keys have changed")
  func forgotten() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.pass(60)
    #expect(try issuer.check(two) == .unknownKey)
    issuer.publish(one, two)
    issuer.pass(60)
    // Another token's unknown id has them fetched.
    #expect(try issuer.check(try stranger()) == .unknownKey)
    #expect(try issuer.check(two) == nil)
    #expect(issuer.fetches == 3)
  }

  @Test("a failed fetch keeps the keys of before, for seven days; then they are unavailable", arguments: [true, false])
  func failing(isAway: Bool) throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    // Not only silence: a page of a proxy is no set of keys either.
    if isAway { issuer.fail() } else { issuer.answer("<html>sign in to this network</html>") }
    issuer.pass(3_600)
    for _ in 0..<5 { #expect(try issuer.check(one) == nil) }
    #expect(issuer.fetches == 2)
    issuer.pass(60)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 3)
    issuer.pass(604_800 - 3_661)
    #expect(try issuer.check(one) == nil)
    issuer.pass(1)
    #expect(try issuer.check(one) == .keysUnavailable)
    issuer.publish(one)
    issuer.pass(60)
    #expect(try issuer.check(one) == nil)
  }

  @Test("while there are no keys, a failed fetch is tried again after ten seconds")
  func first() throws {
    let issuer = Issuer()
    #expect(try issuer.check(one) == .keysUnavailable)
    let said = try #require(try refusal(text(try one.sign(bytes("{}"))), issuer.cache))
    #expect(said.message.contains("the issuer is away"))
    #expect(said.failure.code == .network)
    issuer.publish(one)
    issuer.pass(9)
    #expect(try issuer.check(one) == .keysUnavailable)
    #expect(issuer.fetches == 1)
    issuer.pass(1)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 2)
  }

  @Test("an issuer that takes all keys back is believed")
  func empty() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.answer(#"{"keys":[]}"#)
    issuer.pass(3_600)
    #expect(try issuer.check(one) == .unknownKey)
  }

  @Test("a key that was changed under the same id is fetched when a signature fails, once a minute")
  func sameID() throws {
    let issuer = Issuer()
    let old = try SigningKey.generate(.edDSA, id: "k"), new = try SigningKey.generate(.edDSA, id: "k")
    issuer.publish(old)
    #expect(try issuer.check(old) == nil)
    issuer.publish(new)
    for _ in 0..<20 { #expect(try issuer.check(new) == .signature) }
    #expect(issuer.fetches == 1)
    issuer.pass(60)
    #expect(try issuer.check(new) == nil)
    #expect(try issuer.check(old) == .signature)
    #expect(issuer.fetches == 2)
  }

  @Test("a token without a key id is looked up again when no key made its signature")
  func unnamed() throws {
    let issuer = Issuer()
    let new = try stranger()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.publish(one, new)
    let token = try forge(#"{"alg":"EdDSA"}"#, by: new)
    #expect(try refusal(token, issuer.cache)?.reason == .signature)
    issuer.pass(60)
    #expect(try refusal(token, issuer.cache) == nil)
    let other = try forge(#"{"alg":"ES256"}"#, by: two)
    #expect(try refusal(other, issuer.cache)?.reason == .unsuitableKey)
    issuer.publish(two)
    issuer.pass(60)
    #expect(try refusal(other, issuer.cache) == nil)
  }

  @Test("a clock that is set back has the keys fetched anew")
  func backwards() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.pass(-86_400)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 2)
    #expect(try issuer.check(one) == nil)
    #expect(issuer.fetches == 2)
  }

  @Test("many threads at once: one fetch, and every token gets its answer")
  func threads() throws {
    let issuer = Issuer()
    issuer.publish(one, two)
    issuer.slow(0.05)
    let tokens = [
      text(try one.sign(bytes("{}"))), text(try two.sign(bytes("{}"))), text(try stranger().sign(bytes("{}"))),
    ]
    let wrong = Counter()
    DispatchQueue.concurrentPerform(iterations: 32) { number in
      let expected: TokenRefusal.Reason? = number % 3 == 2 ? .unknownKey : nil
      let reason = (try? refusal(tokens[number % 3], issuer.cache)).flatMap { $0 }?.reason
      if reason != expected { wrong.add() }
    }
    #expect(wrong.value == 0)
    #expect(issuer.mostAtOnce == 1)
    #expect(issuer.fetches == 1)
  }

  @Test("old keys serve while new ones are on their way")
  func staleMeanwhile() throws {
    let issuer = Issuer()
    issuer.publish(one)
    #expect(try issuer.check(one) == nil)
    issuer.pass(3_600)
    let gate = issuer.hold()
    let wrong = Counter()
    let token = text(try one.sign(bytes("{}")))
    let other = Foundation.Thread {
      if (try? refusal(token, issuer.cache)) != .some(nil) { wrong.add() }
      gate.entered.signal()
    }
    other.start()
    gate.entered.wait()
    // The fetch is under way and does not end before this is through.
    #expect(try refusal(token, issuer.cache) == nil)
    gate.go.signal()
    gate.entered.wait()
    #expect(wrong.value == 0)
    #expect(issuer.fetches == 2)
  }

  @Test(
    "Cache-Control",
    arguments: [
      (nil, nil), ("", nil), ("max-age=600", 600), ("public, Max-Age=600, must-revalidate", 600),
      ("max-age=\"60\"", 60),
      ("no-store", 0), ("max-age=5, no-cache", 0), ("max-age=-5", 0), ("max-age=x", nil), ("max-age", nil),
      ("s-maxage=9", nil), ("max-age=99999999999999999999", nil), (",,=,", nil),
    ] as [(String?, Int64?)])
  func header(field: String?, age: Int64?) {
    #expect(FetchedKeys([], cacheControl: field).maximumAge == age)
  }
}
