@testable import AuthBackend
import BackendStore
import Basics
import Foundation
import Glibc
import HTTPTestSupport
import SecureMemory
import Testing

/// What strangers can do to the owner of an account by wrong passwords, and what they cannot.
@Suite("wrong passwords of strangers") struct LockoutTests {
  private func from(_ address: String, _ fixture: BackendFixture, _ cookies: [String: String] = [:]) -> Browser {
    let browser = Browser(fixture)
    browser.headers = ["X-Forwarded-For: \(address)"]
    browser.cookies = cookies
    return browser
  }

  /// What a sign-in leaves in a browser after it is over.
  private func known(_ fixture: BackendFixture) throws -> [String: String] {
    let own = from("198.51.100.1", fixture)
    #expect(try own.authorize(Asked()).status == 303)
    let known = own.cookies.filter { $0.key.contains("known") }
    #expect(known.count == 1)
    return known
  }

  @Test("RL-02 from a hundred addresses they hold up browsers that the account does not know, and no others")
  func manyAddresses() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    let known = try known(fixture)
    // One each, so that no address has to wait: what counts is the account.
    let statuses = try (0..<104).map { number in
      try from("203.0.113.\(number)", fixture).authorize(Asked(), password: "wrong").status
    }
    #expect(statuses == Array(repeating: 401, count: 101) + [429, 429, 429])
    let new = from("192.0.2.1", fixture)
    let held = try new.authorize(Asked())
    #expect(held.status == 429 && held.first("Retry-After") == "2", "the owner in a new browser")
    for address in ["198.51.100.1", "192.0.2.2", "203.0.113.1"] {
      #expect(try from(address, fixture, known).authorize(Asked()).status == 303, "a known browser gets in")
    }
    #expect(try new.authorize(Asked()).status == 429, "which does not let others in")
    #expect(try from("192.0.2.1", fixture).authorize(Asked(), user: "bob").status == 303, "nor is it another's matter")
    // The delays of the account double up to the limit, whoever comes; then the right password gets in, and makes the browser known.
    var delays: [String?] = []
    for number in 0..<11 {
      fixture.clock.advance(by: delays.last.flatMap { $0 }.flatMap { Int64($0) } ?? 2)
      #expect(try from("203.0.113.\(number)", fixture).authorize(Asked(), password: "wrong").status == 401)
      delays.append(try from("203.0.113.200", fixture).authorize(Asked(), password: "wrong").first("Retry-After"))
    }
    #expect(delays == ["4", "8", "16", "32", "64", "128", "256", "512", "900", "900", "900"])
    #expect(try new.authorize(Asked()).status == 429)
    fixture.clock.advance(by: 900)
    #expect(try new.authorize(Asked()).status == 303)
    let after = new.cookies.filter { $0.key.contains("known") }
    for number in 0..<104 {
      _ = try from("203.0.113.\(number)", fixture).authorize(Asked(), password: "wrong")
    }
    #expect(try from("192.0.2.9", fixture, after).authorize(Asked()).status == 303)
  }

  @Test("RL-02 a browser is known for as long as the account has the password that was typed in it")
  func anotherPassword() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    let known = try [known(fixture), known(fixture)], page = from("198.51.100.1", fixture)
    func statuses(_ cookies: [String: String], _ password: String) throws -> [Int] {
      try (0..<7).map { _ in try from("192.0.2.1", fixture, cookies).authorize(Asked(), password: password).status }
    }
    _ = try page.authorize(Asked())
    let typed = [
      ("password", Registry.password), ("new-password", "another long one"), ("new-password-again", "another long one"),
    ]
    #expect(try page.submit(page.get("/password"), "change", typed).status == 200)
    // Who knew the old password has the guesses of any stranger from that network, and none for each browser.
    #expect(try statuses(known[0], "wrong") == [401, 401, 401, 401, 401, 401, 429])
    #expect(try statuses(known[1], "another long one").allSatisfy { $0 == 429 })
    // The browser that the password was changed in is known.
    let own = page.cookies.filter { $0.key.contains("known") }
    #expect(try from("192.0.2.1", fixture, own).authorize(Asked(), password: "another long one").status == 303)
  }

  @Test("RL-02 a name that is no account's is recorded as one that is")
  func unknownNames() throws {
    let fixture = try BackendFixture()
    var counts: [Int] = []
    for name in ["nobody0", "nobody1", "alice", "nobody2", "bob", "alice", "nobody1"] {
      #expect(try Browser(fixture).authorize(Asked(), user: name, password: "wrong").status == 401)
      counts.append(try fixture.audited("sign-in.failed"))
    }
    #expect(counts == [1, 2, 3, 4, 5, 5, 5])
    let records = try fixture.store.auditRecords(after: 0, limit: 100).filter { $0.event == "sign-in.failed" }
    #expect(records.map { $0.fields.first { $0.name == "user" }?.value } == [nil, nil, "user_alice", nil, "user_bob"])
    #expect(records.allSatisfy { !"\($0)".contains("nobody") })
  }

  @Test("RL-02 an address that guesses at many accounts waits, twice as long each time, up to a limit")
  func oneAddress() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    var number = 0
    func guess(_ address: String = "203.0.113.5") throws -> RawResponse {
      number += 1
      return try from(address, fixture).authorize(Asked(), user: "somebody\(number)", password: "wrong")
    }
    for _ in 0..<50 { #expect(try guess().status == 401) }
    var delays: [String?] = []
    for _ in 0..<11 {
      #expect(try guess().status == 401)
      let held = try guess()
      #expect(held.status == 429)
      delays.append(held.first("Retry-After"))
      fixture.clock.advance(by: held.first("Retry-After").flatMap { Int64($0) } ?? 0)
    }
    #expect(delays == ["2", "4", "8", "16", "32", "64", "128", "256", "512", "900", "900"])
    #expect(try guess("203.0.113.6").status == 401, "another address does not wait")
  }

  @Test("RL-02 a password that nobody could judge is no try", arguments: [true, false])
  func whatNobodyJudged(isKnown: Bool) throws {
    let fixture = try BackendFixture {
      $0.trustedProxies = ["127.0.0.1"]
      $0.passwordWorkers = 1
      $0.passwordQueue = 0
    }
    let cookies = isKnown ? try known(fixture) : [:]
    // Strangers keep the checker busy.
    #expect(fixture.backend.passwords.enter())
    for password in Array(repeating: Registry.password, count: 8) + ["wrong"] {
      let busy = try from("198.51.100.1", fixture, cookies).authorize(Asked(), password: password)
      #expect(busy.status == 503 && busy.first("Retry-After") == "2")
    }
    fixture.backend.passwords.leave()
    // Nothing was counted, also for who guesses: as many as ever are free.
    for _ in 0..<5 {
      #expect(try from("198.51.100.1", fixture, cookies).authorize(Asked(), password: "wrong").status == 401)
    }
    #expect(try from("198.51.100.1", fixture, cookies).authorize(Asked()).status == 303)
  }

  @Test("RL-02 strangers who fill the queue keep nobody out of a browser that the account knows")
  func aFullQueue() throws {
    let fixture = try BackendFixture(workers: 24) {
      $0.trustedProxies = ["127.0.0.1"]
      $0.passwordWorkers = 1
      $0.passwordQueue = 8
    }
    let passwords = fixture.backend.passwords, cookies = try known(fixture)
    #expect(passwords.enter())
    let statuses = Monitor<[String: [Int]]>([:])
    func come(_ who: String, _ browser: @escaping @Sendable () throws -> Int) throws -> Basics.Thread {
      let thread = try Basics.Thread {
        let status = (try? browser()) ?? 0
        statuses.withLock { $0[who, default: []].append(status) }
      }
      return thread
    }
    func waiting(_ count: Int) {
      let deadline = MonotonicInstant.now().advanced(bySeconds: 20)
      while passwords.waiting != count, MonotonicInstant.now() < deadline { usleep(1_000) }
      #expect(passwords.waiting == count)
    }
    // Each from an address and for a name of its own, so no limit but the queue's is met.
    var threads: [Basics.Thread] = []
    for number in 0..<6 {
      threads.append(
        try come("stranger") { [self] in
          try from("203.0.113.\(number)", fixture).authorize(Asked(), user: "x\(number)", password: "wrong").status
        })
    }
    waiting(6)
    for number in 6..<9 {
      let refused = try from("203.0.113.\(number)", fixture).authorize(Asked(), user: "x\(number)", password: "wrong")
      #expect(refused.status == 503, "the rest of the queue is kept")
    }
    #expect(try from("198.51.100.1", fixture).authorize(Asked()).status == 503, "the owner in a new browser")
    threads.append(
      try come("known") { [self] in try from("198.51.100.1", fixture, cookies).authorize(Asked()).status })
    waiting(7)
    // One place for each account: the next of the same is as anybody.
    #expect(try from("198.51.100.2", fixture, cookies).authorize(Asked()).status == 503)
    passwords.leave()
    for thread in threads { thread.join() }
    let came = statuses.withLock { $0 }
    #expect(came["known"] == [303] && came["stranger"] == Array(repeating: 401, count: 6), "\(came)")
  }

  // In a process of its own, because the others need their memory.
  @Test("RL-02 memory that runs out is no wrong password") func memoryRunsOut() async {
    await #expect(processExitsWith: .success) {
      let fixture = try BackendFixture()
      let checker = try PasswordChecker(workers: 1, queue: 0)
      let secret = try SecureBytes(publicText: "a right password"), hash = try PasswordChecker.hash(secret)
      // Argon2id wants 19 MiB: there are 8, in pieces, also of what was freed before.
      var eaten: [UnsafeMutableRawPointer] = []
      eaten.reserveCapacity(10_000)
      let pages = try #require(
        Int(String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first ?? ""))
      let kind = __rlimit_resource_t(RLIMIT_AS.rawValue)
      var before = rlimit()
      try #require(getrlimit(kind, &before) == 0)
      var tight = rlimit(rlim_cur: rlim_t(pages * Int(getpagesize()) + 12 << 20), rlim_max: before.rlim_max)
      try #require(setrlimit(kind, &tight) == 0)
      while eaten.count < 10_000, let block = malloc(1 << 20) { eaten.append(block) }
      try #require(eaten.count < 10_000)
      for index in stride(from: 0, to: min(16, eaten.count), by: 2) { free(eaten[index]) }
      for hash in [hash, nil] {
        #expect(throws: Failure(.outOfMemory, "")) { _ = try checker.check(secret, against: hash) }
      }
      var statuses: Set<Int> = []
      for _ in 0..<8 {
        statuses.insert(try Browser(fixture).authorize(Asked(), user: "nobody", password: "wrong").status)
      }
      try #require(setrlimit(kind, &before) == 0)
      #expect(statuses == [503])
      #expect(!fixture.events.named("server.failure").isEmpty)
      #expect(try checker.check(secret, against: hash) == true)
      #expect(try checker.check(secret, against: nil) == false)
      for _ in 0..<6 {
        #expect(try Browser(fixture).authorize(Asked(), user: "nobody", password: "wrong").status == 401)
      }
    }
  }
}
