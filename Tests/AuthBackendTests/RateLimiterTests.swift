import Basics
import Testing

@testable import AuthBackend

@Suite("Limits by key")
struct RateLimiterTests {
  private let time = Monitor(MonotonicInstant.now())

  private func limiter(perMinute: Int = 1, capacity: Int) -> RateLimiter {
    RateLimiter(perMinute: perMinute, capacity: capacity) { [time] in time.withLock { $0 } }
  }

  private func pass(_ seconds: Double) { time.withLock { $0 = $0.advanced(bySeconds: seconds) } }

  @Test("as many keys are known as there is room for, and the one that asked longest ago makes room")
  func capacity() {
    let limiter = limiter(capacity: 4)
    for key in ["1", "2", "3", "4"] {
      #expect(limiter.take(key) == nil)
      pass(1)
    }
    for key in ["1", "2", "3", "4"] {
      #expect(limiter.take(key) != nil, "\(key) has used its share up")
      pass(1)
    }
    #expect(limiter.take("5") == nil)
    // To have asked in vain is to have asked; the first one did so longest ago.
    #expect(limiter.take("4") != nil && limiter.take("5") != nil)
    #expect(limiter.take("1") == nil, "it was forgotten")
  }

  @Test("whoever asks goes on being known, however many others come")
  func recent() {
    let limiter = limiter(perMinute: 2, capacity: 8)
    for _ in 0..<2 { #expect(limiter.take("loud") == nil) }
    for number in 0..<200 {
      #expect(limiter.take("made up \(number)") == nil)
      pass(0.01)
      #expect(limiter.take("loud") != nil, "after \(number)")
    }
    #expect(limiter.known <= 8)
  }

  @Test("what nobody asked for in a minute is forgotten first, and all of it")
  func old() {
    let limiter = limiter(capacity: 4)
    for key in ["1", "2", "3"] { #expect(limiter.take(key) == nil) }
    pass(60)
    #expect(limiter.take("4") == nil)
    #expect(limiter.known == 4)
    #expect(limiter.take("5") == nil)
    #expect(limiter.known == 2)
    #expect(limiter.take("4") != nil)
  }

  @Test("a limit of the server's knows 100,000 keys and no more")
  func usual() throws {
    let limiter = RateLimiter(perMinute: 5)
    for number in 0..<100_050 { _ = limiter.take("\(number)") }
    #expect((75_000...100_000).contains(limiter.known))
  }
}
