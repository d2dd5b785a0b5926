import BackendStore
import Basics
import Foundation
import SecureMemory
import Testing

@testable import BackendKeys

private struct Plain: StoredSecret {
  let bytes: [UInt8]
  func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { bytes.withUnsafeBytes { body($0) } }
}

@Suite("Peppers")
struct PeppersTests {
  private func peppers(
    _ store: MemoryKeyStore, _ clock: TestClock, _ change: (inout PepperSettings) -> Void = { _ in }
  ) throws -> Peppers {
    var settings = PepperSettings()
    change(&settings)
    let made = try Peppers(store: store, sealer: try sealer(), settings: settings, clock: { clock.now })
    try made.tick()
    return made
  }

  @Test("the hash is HMAC-SHA256, as RFC 4231 has it")
  func vector() throws {
    // Test case 4 has a key of 25 bytes; padded with zeros to 32 it is the same key (RFC 2104 2).
    let key = (1...25).map { UInt8($0) } + [UInt8](repeating: 0, count: 7)
    let pepper = try Pepper(try box(key).bytes.copy())
    let hash = [UInt8](repeating: 0xCD, count: 50).withUnsafeBytes { pepper.hash($0) }
    let text = hash.map { String(format: "%02x", $0) }.joined()
    #expect(text == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    #expect(failure { _ = try Pepper(try SecureBytes(count: 31)) } == .vaultDamaged)
  }

  @Test("what was hashed before a rotation is found after it, and new hashes are made with the new pepper")
  func rotation() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let peppers = try peppers(store, clock)
    let secret = Plain(bytes: [1, 2, 3])
    let old = try peppers.hash(secret, now: clock.now)
    #expect(try peppers.hashes(secret, now: clock.now) == [old])
    clock.pass(90 * day)
    try peppers.tick()
    #expect(try peppers.hash(secret, now: clock.now) == old)
    clock.pass(300)
    let new = try peppers.hash(secret, now: clock.now)
    #expect(new.pepper == 2)
    #expect(new.bytes != old.bytes)
    #expect(try peppers.hashes(secret, now: clock.now) == [new, old])
    for _ in 0..<4 {
      clock.pass(90 * day)
      try peppers.tick()
    }
    #expect(try peppers.hashes(secret, now: clock.now).contains(old))
    clock.pass(6 * day + 300)
    #expect(try !peppers.hashes(secret, now: clock.now).contains(old))
  }

  @Test("a process that has not read the store for long knows a new pepper before it is used")
  func otherProcess() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let first = try peppers(store, clock), second = try peppers(store, clock)
    let secret = Plain(bytes: [1, 2, 3])
    clock.pass(90 * day)
    // It reads the store a moment before the other one makes the next pepper.
    _ = try second.hash(secret, now: clock.now)
    try first.tick()
    #expect(store.all.count == 2)
    for _ in 0..<600 {
      let stored = try first.hash(secret, now: clock.now)
      #expect(try second.hashes(secret, now: clock.now).contains(stored))
      clock.pass(1)
    }
  }

  @Test("a pepper that is not known yet is looked for in the store")
  func unknownNumber() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let first = try peppers(store, clock), second = try peppers(store, clock)
    let secret = Plain(bytes: [1, 2, 3])
    let number = try first.rotateNow().key.number
    let hash = try first.hash(secret, pepper: number, now: clock.now)
    #expect(try second.hash(secret, pepper: number, now: clock.now) == hash)
    #expect(try second.hash(secret, pepper: 99, now: clock.now) == nil)
  }

  @Test("a pepper that is retired by hand counts no more")
  func withdrawn() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let peppers = try peppers(store, clock)
    let secret = Plain(bytes: [1, 2, 3])
    let old = try peppers.hash(secret, now: clock.now)
    try peppers.retire(old.pepper)
    #expect(try peppers.hash(secret, now: clock.now).pepper == 2)
    #expect(try peppers.hashes(secret, now: clock.now).map(\.pepper) == [2])
  }

  @Test("without a pepper that can be opened nothing is hashed, and no token taken for an unknown one")
  func unopened() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let secret = Plain(bytes: [1])
    for _ in 0..<2 {
      let other = try Peppers(store: store, sealer: try sealer(8), clock: { clock.now })
      #expect(failure { _ = try other.hash(secret, now: clock.now) } == .configuration)
      #expect(failure { _ = try other.hashes(secret, now: clock.now) } == .configuration)
      if store.all.isEmpty { _ = try peppers(store, clock) }
    }
  }

  @Test("signing keys and peppers are not taken for each other")
  func swapped() throws {
    let server = try Server()
    let own = try peppers(server.store, server.clock)
    let (signing, pepper) = (server.store.all[0].sealed, server.store.all[1].sealed)
    server.store.tamper(1) { $0.sealed = pepper }
    server.store.tamper(2) { $0.sealed = signing }
    #expect(
      failure { try Peppers(store: server.store, sealer: try sealer(), clock: { server.now }).tick() } == .vaultTampered
    )
    #expect(
      failure { try KeyRing(store: server.store, sealer: try sealer(), clock: { server.now }).tick() } == .vaultTampered
    )
    #expect(server.store.all.count == 2)
    _ = own
  }

  @Test("many threads hash with the same peppers while they change")
  func threads() throws {
    let (store, clock) = (MemoryKeyStore(), TestClock())
    let peppers = try peppers(store, clock)
    let hashes = try inParallel(8) { index in
      try (0..<200).map { number in
        if index == 0 && number % 20 == 0 { _ = try peppers.rotateNow() }
        clock.pass(20)
        return try peppers.hash(Plain(bytes: [9]), now: clock.now)
      }
    }
    let byPepper = Dictionary(grouping: hashes.flatMap { $0 }, by: \.pepper)
    #expect(byPepper.count > 1)
    #expect(byPepper.values.allSatisfy { Set($0).count == 1 })
  }
}
