import BackendStore
import Basics
import JOSE
import TestSupport
import Testing

@testable import BackendKeys

@Suite("The signing keys")
struct KeyRingTests {
  @Test(
    "JK-01 each published key has kty, kid, use and alg, nothing private, and an id of its own",
    arguments: [
      JWSAlgorithm.edDSA, .rs256,
    ])
  func published(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    let second = try server.ring.rotateNow()
    #expect(second.key.state == .pending)
    let answer = try server.ring.jwks(now: server.now)
    #expect(answer.maxAgeSeconds == 3_600)
    let keys = try #require(try JSONReader.value(Array(answer.json.utf8))["keys"]?.items)
    #expect(keys.count == 2)
    for key in keys {
      #expect(key["kty"]?.string == (algorithm == .rs256 ? "RSA" : "OKP"))
      #expect(key["use"]?.string == "sig")
      #expect(key["alg"]?.string == algorithm.rawValue)
      #expect((key["kid"]?.string ?? "").utf8.count == 43)
      for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] { #expect(key[name] == nil, "\(name)") }
    }
    #expect(Set(keys.compactMap { $0["kid"]?.string }).count == 2)
  }

  @Test(
    "JK-03 a key is published a max-age before it signs, and until its last token is over",
    arguments: [
      JWSAlgorithm.edDSA, .rs256,
    ])
  func rotation(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    let first = try server.keyID(), start = server.now, settings = server.ring.settings
    // The moments at which what is seen changes, by the minute.
    var listed: [String: Timestamp] = [:], signs: [String: Timestamp] = [:], unlisted: [String: Timestamp] = [:]
    var lastToken: [String: Timestamp] = [:]
    server.clock.pass(89 * day)
    while server.now < start.advanced(by: 91 * day) {
      try server.ring.tick()
      let ids = Set(try server.jwks().keys.compactMap(\.id))
      for id in ids where listed[id] == nil { listed[id] = server.now }
      for id in listed.keys where !ids.contains(id) && unlisted[id] == nil { unlisted[id] = server.now }
      let token = try server.accessToken()
      if signs[token.keyID] == nil { signs[token.keyID] = server.now }
      lastToken[token.keyID] = token.expires
      server.clock.pass(60)
    }
    #expect(listed.count == 2)
    let second = try #require(listed.keys.first { $0 != first })
    let (published, used) = (try #require(listed[second]), try #require(signs[second]))
    #expect(used.seconds - published.seconds >= settings.maxAgeSeconds)
    #expect(used.seconds - start.seconds == 90 * day)
    let gone = try #require(unlisted[first]), over = try #require(lastToken[first])
    #expect(gone >= over.advanced(by: settings.leewaySeconds))
    #expect(gone <= over.advanced(by: settings.leewaySeconds + 1_800))
    #expect(unlisted[second] == nil)
  }

  @Test("JK-03 a client that keeps the set of keys for its max-age meets no token it cannot check")
  func cachingClient() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    // One process ticks every minute, the other one has lost its timer.
    let servers = [try Server(store: store, clock: clock), try Server(store: store, clock: clock)]
    let validator = AccessTokenValidator(issuer: issuer, audience: "api")
    var random = SeededGenerator(3)
    var kept: (keys: JSONWebKeySet, until: Timestamp)?
    var tokens: [IssuedToken] = [], checked = 0, used: Set<String> = []
    for _ in 0..<3 {
      clock.pass(89 * day)
      for _ in 0..<1_000 {
        clock.pass(Int64.random(in: 1...240, using: &random))
        try servers[0].ring.tick()
        if kept.map({ $0.until <= clock.now }) ?? true {
          let answer = try servers[Int.random(in: 0..<2, using: &random)].ring.jwks(now: clock.now)
          kept = (try JSONWebKeySet(json: Array(answer.json.utf8)), clock.now.advanced(by: answer.maxAgeSeconds))
        }
        tokens.append(try servers[Int.random(in: 0..<2, using: &random)].accessToken())
        tokens.removeAll { $0.expires <= clock.now }
        let keys = try #require(kept).keys
        for token in [tokens.first, tokens.last].compactMap({ $0 }) {
          let text = try box(Array(token.text.utf8))
          _ = try validator.validate(text.bytes, keys: keys, now: clock.now)
          used.insert(token.keyID)
          checked += 1
        }
      }
    }
    #expect(checked > 5_000)
    #expect(used.count == 4)
  }

  @Test("JK-04 two processes that reach the time of rotation make one key, and sign with the same")
  func race() throws {
    for _ in 0..<raceRounds(50) {
      let (store, clock) = (MemoryKeyStore(), TestClock())
      let servers = [try Server(store: store, clock: clock), try Server(store: store, clock: clock)]
      #expect(store.all.count == 1)
      clock.pass(90 * day)
      let made = try inParallel(2) { try servers[$0].ring.tick() }.flatMap { $0 }.filter { $0.kind == .made }
      #expect(made.count == 1)
      #expect(store.all.count == 2)
      #expect(try servers[0].jwks().json == servers[1].jwks().json)
      #expect(try servers[0].keyID() == servers[1].keyID())
      clock.pass(4_000)
      #expect(try servers[0].keyID() == servers[1].keyID())
      #expect(try servers[0].keyID() == store.all[1].keyID)
    }
  }

  @Test("JK-04 a process that has decided to make a key when another one stores its own takes that one")
  func overtaken() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let first = try KeyRing(store: store, sealer: try sealer(), clock: { clock.now })
    let second = try KeyRing(store: store, sealer: try sealer(), clock: { clock.now })
    store.beforeNextAdd { _ = try? second.tick() }
    #expect(try first.tick() == [])
    #expect(store.all.count == 1)
    clock.pass(90 * day)
    store.beforeNextAdd { _ = try? second.tick() }
    #expect(try first.tick() == [])
    #expect(store.all.count == 2)
    #expect(store.all[0].retiredAt == store.all[1].activeAt)
    #expect(try first.signingKey(now: clock.now).keyID == second.signingKey(now: clock.now).keyID)
  }

  @Test("a crash between making a key and retiring the old one is made good by the next tick")
  func repaired() throws {
    let server = try Server()
    server.clock.pass(90 * day)
    try server.ring.tick()
    server.store.tamper(1) { ($0.retiredAt, $0.removedAt) = (nil, nil) }
    let other = try Server(store: server.store, clock: server.clock)
    #expect(other.store.all[0].retiredAt == other.store.all[1].activeAt)
    #expect(try other.ring.list().map(\.state) == [.active, .pending])
  }

  @Test("the next key is made by hand once, and waits for its time")
  func byHand() throws {
    let server = try Server()
    let first = try server.keyID()
    let made = try server.ring.rotateNow()
    #expect(made.events.map(\.kind) == [.made, .retired])
    #expect(try server.ring.rotateNow().key == made.key)
    #expect(try server.keyID() == first)
    server.clock.set(made.key.activeAt)
    #expect(try server.keyID() == made.key.keyID)
    #expect(try server.ring.list().map(\.state) == [.retired, .active])
    server.clock.pass(2_000)
    #expect(try server.ring.list().map(\.keyID) == [made.key.keyID])
  }

  @Test("a key that is retired by hand is not published any more, and another one signs at once")
  func withdrawn() throws {
    let server = try Server()
    let first = try server.keyID()
    #expect(try server.ring.retire(first).map(\.kind) == [.made, .withdrawn])
    let second = try server.keyID()
    #expect(second != first)
    #expect(try server.jwks().keys.map(\.id) == [second])
    // With one that waits already, that one goes on.
    let next = try server.ring.rotateNow().key.keyID
    #expect(try server.ring.retire(second).map(\.kind) == [.withdrawn])
    #expect(try server.keyID() == next)
    #expect(failure { try server.ring.retire(first) } == .notFound)
  }

  @Test("a key that is taken out of use does not come back by a process that read it before")
  func withdrawnMeanwhile() throws {
    let server = try Server(), first = try server.keyID()
    let other = try Server(store: server.store, clock: server.clock)
    _ = try server.ring.rotateNow()
    // As another process sees it between the two steps of taking it out of use.
    server.store.tamper(1) { ($0.retiredAt, $0.removedAt) = (nil, nil) }
    server.store.beforeNextRetire { _ = try? other.ring.retire(first) }
    #expect(try server.ring.tick() == [])
    #expect(server.store.all[0].removedAt == server.now)
    #expect(try !server.jwks().keys.compactMap(\.id).contains(first))
  }

  @Test("a key that waits signs at once when the one that signs is retired by hand, and the list says so")
  func withdrawnBeforeItsSuccessor() throws {
    let server = try Server()
    try server.ring.tick()
    let first = try server.ring.signingKey(now: server.now).keyID
    let waiting = try server.ring.rotateNow().key
    try server.ring.retire(first)
    let listed = try server.ring.list()
    #expect(try server.ring.signingKey(now: server.now).keyID == waiting.keyID)
    #expect(listed.map(\.keyID) == [waiting.keyID] && listed.map(\.state) == [.active])
    #expect(listed.first?.activeAt == server.now)
    #expect(try server.ring.rotateNow().isMade)
  }

  @Test("a key that signs before its time goes on, and the list says so, when the one before it is pruned")
  func withdrawnAndPruned() throws {
    let server = try Server(), first = try server.keyID()
    let waiting = try server.ring.rotateNow().key
    try server.ring.retire(first)
    server.store.prune(server.now)
    #expect(server.store.all.map(\.keyID) == [waiting.keyID])
    // Before the moment that the row has, and after it.
    for moment in [server.now, server.now.advanced(by: 60), waiting.activeAt] {
      server.clock.set(moment)
      #expect(try server.keyID() == waiting.keyID)
      let listed = try server.ring.list()
      #expect(listed.map(\.state) == [.active] && listed.allSatisfy { $0.activeAt <= moment })
    }
    server.clock.set(waiting.createdAt)
    let next = try server.ring.rotateNow()
    #expect(next.isMade && next.key.state == .pending)
    #expect(try server.keyID() == waiting.keyID)
  }

  @Test("a key that waits is retired by hand, and the one that signs goes on until a new one is known")
  func pendingWithdrawn() throws {
    let server = try Server()
    let first = try server.keyID(), pending = try server.ring.rotateNow().key
    #expect(try server.ring.retire(pending.keyID).map(\.kind) == [.made, .withdrawn])
    var signed: Set<String> = []
    for _ in 0..<100 {
      signed.insert(try server.accessToken().keyID)
      server.clock.pass(60)
      try server.ring.tick()
    }
    #expect(signed == [first, server.store.all[2].keyID])
  }

  @Test("another algorithm is taken up in the usual order")
  func algorithm() throws {
    let server = try Server()
    let other = try Server(.rs256, store: server.store, clock: server.clock)
    #expect(try other.ring.signingKey(now: other.now).algorithm == .edDSA)
    #expect(try other.jwks().keys.compactMap(\.algorithm).sorted() == ["EdDSA", "RS256"])
    server.clock.pass(3_900)
    #expect(try other.ring.signingKey(now: other.now).algorithm == .rs256)
  }

  @Test("the wrong unlock key makes no keys beside those that it cannot open")
  func wrongKey() throws {
    let server = try Server()
    let ring = try KeyRing(store: server.store, sealer: try sealer(8), clock: { server.clock.now })
    #expect(failure { try ring.tick() } == .vaultWrongKey)
    #expect(failure { _ = try ring.signingKey(now: server.now) } == .configuration)
    #expect(failure { _ = try ring.jwks(now: server.now) } == .configuration)
    #expect(try ring.list().map(\.state) == [.unreadable])
    #expect(server.store.all.count == 1)
  }

  @Test("whoever writes to the store publishes no key of his own, and a damaged key is replaced")
  func tampered() throws {
    let server = try Server()
    let first = try server.keyID(), second = try server.ring.rotateNow().key
    let foreign = try SigningKey.generate(.edDSA)
    // A public half of his own, and another one's sealed half.
    server.store.tamper(1) { $0.publicJWK = foreign.publicKey.json.text }
    let sealed = server.store.all[0].sealed
    server.store.tamper(2) { $0.sealed = sealed }
    let other = try KeyRing(store: server.store, sealer: try sealer(), clock: { server.clock.now })
    let events = try other.tick()
    #expect(events.map(\.kind) == [.made, .retired])
    let third = server.store.all[2]
    #expect(Set(try other.jwks(now: server.now).keys.keys.compactMap(\.id)) == [first, third.keyID])
    #expect(try other.list().map(\.state) == [.active, .unreadable, .pending])
    server.clock.set(second.activeAt)
    #expect(try other.signingKey(now: server.now).keyID == third.keyID)
  }

  @Test("a store that cannot be read stops nothing until what is known of it is too old")
  func storeGone() throws {
    let server = try Server()
    let first = try server.keyID(), readings = server.store.readings
    server.store.failure = Failure(.inputOutput, "the disk is gone")
    server.clock.pass(150)
    #expect(try server.keyID() == first)
    #expect(server.store.readings == readings)
    server.clock.pass(1)
    #expect(failure { _ = try server.keyID() } == .inputOutput)
    server.store.failure = nil
    #expect(try server.keyID() == first)
  }

  @Test("when every key has been removed, a new one signs at once")
  func allRemoved() throws {
    let server = try Server()
    _ = try server.store.retire(1, retiredAt: server.now, removedAt: server.now)
    #expect(try server.ring.tick().map(\.kind) == [.made])
    #expect(try server.keyID() == server.store.all[1].keyID)
    #expect(try server.jwks().keys.count == 1)
  }

  @Test("times that do not go together are refused")
  func settings() throws {
    func refusal(_ change: (inout KeyRingSettings) -> Void) throws -> FailureCode? {
      var settings = KeyRingSettings()
      change(&settings)
      return failure { _ = try KeyRing(store: MemoryKeyStore(), sealer: try sealer(), settings: settings) }
    }
    #expect(try refusal { _ in } == nil)
    #expect(try refusal { $0.rotationSeconds = 3_900 } == .configuration)
    #expect(try refusal { $0.rotationSeconds = .max } == .configuration)
    #expect(try refusal { $0.maxAgeSeconds = -1 } == .configuration)
    #expect(try refusal { $0.marginSeconds = 0 } == .configuration)
    #expect(try refusal { $0.longestTokenSeconds = .max } == .configuration)
    #expect(try refusal { $0.algorithm = .es256 } == .configuration)
  }
}
