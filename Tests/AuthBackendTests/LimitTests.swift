@testable import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import SecureMemory
import Testing

@Suite("Limits")
struct LimitTests {
  @Test("RL-01 more token requests of a client from an address than are allowed wait, before anything is done")
  func tokenRequests() throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerClientAndAddress = 3 }
    let code = try fixture.code()
    for _ in 0..<3 { #expect(try fixture.refresh("x").status == 400) }
    var waits: [Int] = []
    let written = try RowChanges(fixture).during {
      for address in ["", "203.0.113.5", "203.0.113.6"] {
        // What a client says of itself is not believed.
        let answer = try fixture.redeem(code, headers: address.isEmpty ? [] : ["X-Forwarded-For: \(address)"])
        #expect(answer.status == 429)
        #expect(["slow_down", "temporarily_unavailable"].contains(answer.error))
        waits.append(try #require(Int(answer.first("Retry-After") ?? "")))
        #expect(answer.first("Cache-Control") == "no-store")
      }
    }
    #expect(written == [:], "nothing was written")
    #expect(waits.allSatisfy { (1...20).contains($0) }, "\(waits)")
    #expect(fixture.backend.metrics.text.contains("mfs_events_total{event=\"token.limited\"} 3\n"))
    #expect(try fixture.redeem("x", client: "other").status == 400, "another client has its own share")
    // The code is as good as before: a server on the same database that still has a share takes it.
    let other = try BackendFixture(after: (fixture, fixture.folder))
    #expect(try other.redeem(code).status == 200)
  }

  @Test("RL-01 who asks too often is told so before a key is read, a pepper is used or a password is checked")
  func beforeHashing() throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerClientAndAddress = 1 }
    let code = try fixture.code(), refresh = try fixture.signIn().refresh
    // Keys and peppers are too old to be used, and cannot be read.
    fixture.clock.advance(by: 200)
    try fixture.run("ALTER TABLE server_key RENAME TO gone")
    for answer in [
      try fixture.refresh(refresh), try fixture.refresh("x"), try fixture.redeem(code), try fixture.redeem("x"),
    ] { #expect(answer.status == 429 && answer.error == "slow_down") }
    #expect(try fixture.redeem(code, client: "other").status == 503, "where the limit lets it through")

    for (limit, status) in [(1, 429), (100, 503)] {
      let fixture = try BackendFixture {
        $0.authorizationRequestsPerClientAndAddress = limit
        $0.passwordWorkers = 1
        $0.passwordQueue = 0
      }
      let browser = Browser(fixture), page = try browser.get(Asked().target)
      #expect(page.status == 200)
      #expect(fixture.backend.passwords.enter(), "whoever comes now is not judged")
      let answer = try browser.submit(page, "sign-in", [("username", "alice"), ("password", Registry.password)])
      #expect(answer.status == status)
      fixture.backend.passwords.leave()
    }
  }

  @Test(
    "RL-01 made-up clients have one share together",
    arguments: ["/oauth/token", "/oauth/device_authorization", "/oauth/attestation_challenge"])
  func madeUpClients(_ path: String) throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerClientAndAddress = 3 }
    func status(_ client: String) throws -> Int {
      try fixture.post(path, [("client_id", client), ("grant_type", "refresh_token"), ("refresh_token", "x")]).status
    }
    for number in 0..<3 { #expect(try status("made-up-\(number)") == 401) }
    for number in 3..<6 { #expect(try status("made-up-\(number)") == 429) }
    #expect(try status("app") != 429, "and take nothing of a client's that is there")
  }

  @Test("RL-01 X-Forwarded-For counts from a configured proxy, and no further than it can be believed")
  func proxies() throws {
    let fixture = try BackendFixture {
      $0.tokenRequestsPerClientAndAddress = 2
      $0.trustedProxies = ["127.0.0.1", "10.0.0.1"]
    }
    func status(_ forwarded: String...) throws -> Int {
      try fixture.refresh("x", headers: forwarded.map { "X-Forwarded-For: \($0)" }).status
    }
    // The last one that a trusted proxy wrote is the client; what stands before it, anybody can write.
    #expect(try status("1.1.1.1, 203.0.113.5") == 400)
    #expect(try status("2.2.2.2, 203.0.113.5, 10.0.0.1") == 400)
    #expect(try status("3.3.3.3", "203.0.113.5") == 429)
    #expect(try status("203.0.113.6") == 400)
    // Of IPv6 a household has a /64.
    #expect(try status("2001:db8:1:2::3") == 400)
    #expect(try status("2001:db8:1:2:ffff::4") == 400)
    #expect(try status("2001:DB8:1:2:0::5") == 429)
    #expect(try status("2001:db8:1:3::3") == 400)
    // What is no address counts as who is connected.
    for _ in 0..<2 { #expect(try status("unknown") == 400) }
    #expect(try status("x") == 429)
    // An address is the same however it is written.
    #expect(try status("::ffff:203.0.113.7") == 400)
    #expect(try status("0:0:0:0:0:FFFF:203.0.113.8") == 400)
    #expect(try status("203.0.113.7, ::ffff:10.0.0.1") == 400)
    #expect(try status("203.0.113.7") == 429)
    #expect(try status("203.0.113.8") == 400)
  }

  @Test(
    "addresses have one text, and lists of them have that",
    arguments: [
      ("0:0:0:0:0:0:0:1", "::1"), ("::FFFF:10.0.0.1", "10.0.0.1"), ("::ffff:a00:1", "10.0.0.1"),
      ("2001:DB8:0:0::01", "2001:db8::1"), ("127.0.0.1", "127.0.0.1"),
    ])
  func canonical(_ written: String, _ text: String) throws {
    #expect(AddressText.canonical(written) == text)
    var settings = try BackendSettings(issuer: "https://auth.example.com")
    settings.trustedProxies = [written]
    #expect(settings.trustedProxies == [text])
    #expect(AddressText.canonical(written + "x") == nil)
  }

  @Test("RL-01 a device has a share of its own, and who has used it up loses nothing by asking")
  func devices() throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerDevice = 3 }
    let asked = Asked().with("device_id", "dev-1")
    var refresh = try fixture.signIn(asked).refresh
    for _ in 0..<2 { refresh = try Tokens(fixture.refresh(refresh, device: "dev-1")).refresh }
    let answer = try fixture.refresh(refresh, device: "dev-1")
    #expect(answer.status == 429 && answer.error == "slow_down")
    #expect(Int(answer.first("Retry-After") ?? "").map { (1...20).contains($0) } == true)
    #expect(try fixture.live([refresh]) == [refresh], "the token was not spent")
    #expect(try fixture.audited("refresh.refused") == 0)
    // Another device, the same user on another, and who tells no device.
    let other = try fixture.signIn(asked.with("device_id", "dev-2")).refresh
    #expect(try fixture.refresh(other, device: "dev-2").status == 200)
    let none = try fixture.signIn().refresh
    #expect(try fixture.refresh(none).status == 200)
  }

  @Test("RL-01 who knows a device's id cannot use up its share")
  func strangersAndDevices() throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerDevice = 2 }
    let asked = Asked().with("device_id", "dev-1")
    var owner = try fixture.signIn(asked).refresh
    let mine = try fixture.signIn(asked, user: "bob").refresh
    // Made-up tokens and codes, and a sign-in of the stranger's own that says to be on that device.
    for _ in 0..<10 {
      #expect(try fixture.refresh("x", device: "dev-1").status == 400)
      #expect(try fixture.redeem("x", asked).status == 400)
      _ = try fixture.post("/oauth/device_authorization", [("client_id", "app"), ("device_id", "dev-1")])
      _ = try fixture.refresh(mine, device: "dev-1")
    }
    #expect(try fixture.refresh(mine, device: "dev-1").status >= 400)
    owner = try Tokens(fixture.refresh(owner, device: "dev-1")).refresh
    #expect(try fixture.refresh(owner, device: "dev-1").status == 429, "the owner's own share is what counts")
  }

  @Test("RL-01 a device's share is one for all of its sign-ins, and what it is made to wait for is not spent")
  func allSignIns() throws {
    let fixture = try BackendFixture { $0.tokenRequestsPerDevice = 3 }
    let asked = Asked().with("device_id", "dev-1")
    // Three sign-ins use the share up; none of them has one of its own.
    let tokens = try (0..<3).map { _ in try fixture.signIn(asked).refresh }
    for token in tokens { #expect(try fixture.refresh(token, device: "dev-1").status == 429) }
    let code = try fixture.code(asked)
    for _ in 0..<2 { #expect(try fixture.redeem(code, asked).status == 429, "and neither has a fourth") }
    #expect(try fixture.live(tokens) == tokens)
    #expect(try fixture.store.liveFamilies(user: nil, device: "dev-1", now: fixture.clock.now, limit: 9).count == 3)
    #expect(try fixture.audited("code.refused") == 0 && fixture.audited("refresh.refused") == 0)
  }

  @Test("RL-01 a device's share comes back with time")
  func deviceShares() {
    let time = Monitor(MonotonicInstant.now())
    let limiter = DeviceLimiter(perMinute: 6) { time.withLock { $0 } }
    func take(_ device: String? = "dev-1", of user: String = "u") -> Int64? { limiter.take(user: user, device: device) }
    for count in 1...6 { #expect(take() == nil, "number \(count)") }
    #expect(take() == 10)
    for _ in 0..<6 { #expect(take(of: "v") == nil && take("dev-2") == nil) }
    for _ in 0..<20 { #expect(take(nil) == nil) }
    time.withLock { $0 = $0.advanced(bySeconds: 9.5) }
    #expect(take() == 1)
    time.withLock { $0 = $0.advanced(bySeconds: 0.5) }
    #expect(take() == nil)
    #expect(take() == 10)
  }

  private func from(_ address: String, _ fixture: BackendFixture, _ cookies: [String: String] = [:]) -> Browser {
    let browser = Browser(fixture)
    browser.headers = ["X-Forwarded-For: \(address)"]
    browser.cookies = cookies
    return browser
  }

  @Test("RL-02 a stranger's wrong passwords do not lock the owner out")
  func ownerGetsIn() throws {
    let fixture = try BackendFixture { $0.trustedProxies = ["127.0.0.1"] }
    let own = from("198.51.100.1", fixture)
    _ = try own.authorize(Asked())
    // The browser knows the account, and nobody is signed in any more.
    let known = own.cookies.filter { $0.key.contains("known") }
    #expect(known.count == 1)
    let stranger = "203.0.113.5"
    var last = 0
    for _ in 0..<10 { last = try from(stranger, fixture).authorize(Asked(), password: "wrong").status }
    #expect(last == 429)
    #expect(try from(stranger, fixture).authorize(Asked()).status == 429, "not even with the right one")
    for address in ["198.51.100.1", "198.51.100.77", stranger] {
      #expect(try from(address, fixture, known).authorize(Asked()).status == 303, "a known browser gets in")
    }
    #expect(try from("198.51.100.2", fixture).authorize(Asked()).status == 303, "and so does a new one elsewhere")
    // The cookie is for its account and not for another's.
    var bob = 0
    for _ in 0..<8 {
      bob = try from("203.0.113.9", fixture, known).authorize(Asked(), user: "bob", password: "x").status
    }
    #expect(bob == 429)
    // Who has the cookie may not guess without end either.
    var guess = 0
    for _ in 0..<8 { guess = try from(stranger, fixture, known).authorize(Asked(), password: "wrong").status }
    #expect(guess == 429)
  }

  @Test("RL-02 the delay doubles and is capped, and an unknown name is delayed the same")
  func delays() throws {
    let fixture = try BackendFixture()
    func delays(_ name: String) throws -> [Int64] {
      var delays: [Int64] = []
      for _ in 0..<fixture.backend.settings.freePasswords {
        #expect(try Browser(fixture).authorize(Asked(), user: name, password: "wrong").status == 401)
      }
      for _ in 0..<12 {
        #expect(try Browser(fixture).authorize(Asked(), user: name, password: "wrong").status == 401)
        let answer = try Browser(fixture).authorize(Asked(), user: name, password: "wrong")
        #expect(answer.status == 429)
        let delay = try #require(answer.first("Retry-After").flatMap { Int64($0) })
        delays.append(delay)
        fixture.clock.advance(by: delay - 1)
        #expect(try Browser(fixture).authorize(Asked(), user: name, password: "wrong").status == 429)
        fixture.clock.advance(by: 1)
      }
      return delays
    }
    let expected: [Int64] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]
    #expect(try delays("alice") == expected)
    #expect(try delays("nobody") == expected)
  }

  @Test("RL-02 an unknown name takes as long as a wrong password")
  func timing() throws {
    let fixture = try BackendFixture { $0.freePasswords = 10_000 }
    var alice = try #require(try fixture.store.user(named: "alice"))
    let secret = try SecureBytes.random(count: 16)
    alice.passwordHash = try PasswordChecker.hash(secret)
    _ = try fixture.store.change(alice, ending: nil, now: fixture.clock.now, denyUntil: nil)
    let browser = Browser(fixture), page = try browser.get(Asked().target)
    func time(_ name: String) throws -> Duration {
      try ContinuousClock().measure {
        let answer = try browser.submit(page, "sign-in", [("username", name), ("password", "wrong")])
        #expect(answer.status == 401)
      }
    }
    // The shortest time is what the work takes. On a busy machine it takes many tries until each has had a quiet moment; without the
    // work for one of them, no number of tries would bring them together.
    var known = try time("alice"), unknown = try time("nobody"), tries = 1
    while tries < 8 || tries < 200 && !(known < unknown * 2 && unknown < known * 2) {
      (known, unknown, tries) = (min(known, try time("alice")), min(unknown, try time("nobody")), tries + 1)
    }
    #expect(known < unknown * 2 && unknown < known * 2, "\(known) and \(unknown)")
    #expect(unknown > .milliseconds(5), "Argon2id was computed")
  }

  @Test("RL-02 an account of one's own does not buy guesses at others'")
  func ownAccountBuysNothing() throws {
    let fixture = try BackendFixture()
    var statuses: [Int] = []
    for number in 0..<120 {
      statuses.append(try Browser(fixture).authorize(Asked(), user: "guess\(number)", password: "wrong").status)
      if number % 5 == 4 { _ = try Browser(fixture).authorize(Asked(), user: "bob") }
    }
    #expect(statuses.contains(429), "one address has guessed at 120 accounts")
    // And where nobody guesses, nobody waits, however many sign in from there.
    let quiet = try BackendFixture()
    for _ in 0..<120 { #expect(try Browser(quiet).authorize(Asked()).status == 303) }
  }

  @Test("sign-ins that wait for Argon2id are bounded, and refreshes go on meanwhile")
  func starvation() throws {
    let fixture = try BackendFixture(workers: 40) {
      $0.freePasswords = 1_000
      $0.passwordQueue = 4
    }
    var alice = try #require(try fixture.store.user(named: "alice"))
    alice.passwordHash = try PasswordChecker.hash(try SecureBytes.random(count: 16))
    _ = try fixture.store.change(alice, ending: nil, now: fixture.clock.now, denyUntil: nil)
    let tokens = Monitor(try fixture.signIn(user: "bob"))
    let statuses = try inParallel(31) { number in
      guard number == 0 else { return try Browser(fixture).authorize(Asked(), password: "wrong").status }
      for _ in 0..<10 {
        let next = try Tokens(fixture.refresh(tokens.withLock { $0.refresh }))
        tokens.withLock { $0 = next }
      }
      return 200
    }
    #expect(statuses[0] == 200)
    #expect(Set(statuses.dropFirst()) == [401, 503])
  }
}
