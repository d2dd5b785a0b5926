import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import TestSupport
import Testing

/// A change and its record of the audit log are one: neither is there without the other, whatever happens in between.
@Suite struct AuditedStepTests {
  private let now = Timestamp(seconds: 1_000)

  private static func hash(_ number: UInt8) -> KeyedHash {
    KeyedHash(pepper: 1, bytes: [UInt8](repeating: number, count: 32))
  }

  private static func handle(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }

  private func filled() throws -> Place {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    try store.add(User(id: "u", name: "u", passwordHash: nil, createdAt: now))
    let attested = DeviceFinding(.newKey(Self.key(0)), verdict: Device.Verdict("attested", at: now), isRequired: true)
    _ = try store.begin(
      Self.family("sid", 1, now), on: DeviceDescription(finding: attested), spending: nil)
    var first = Rotation(
      handle: Self.handle(1), presented: [Self.hash(1)], successor: Self.hash(2), client: "c", device: "d", now: now)
    first.failureLimit = 1
    _ = try store.rotate(first)
    try store.add(
      AuthorizationCode(
        hash: Self.hash(9), client: "c", redirectURI: "r", challenge: "x", user: "u", device: "d", scopes: [],
        nonce: nil, authTime: now, browserSession: nil, expiresAt: now.advanced(by: 60)))
    try store.add(
      DeviceAuthorization(
        hash: Self.hash(10), userCode: "C", client: "c", device: "d", scopes: [], createdAt: now,
        expiresAt: now.advanced(by: 60), intervalSeconds: 5))
    _ = try store.decide(userCode: "C", .approve(user: "u", authTime: now), now: now)
    try store.put(Client(id: "c", name: "", redirectURIs: []))
    let key = SealedKey(
      purpose: .pepper, keyID: "", algorithm: "", publicJWK: "", sealed: [1], createdAt: now, activeAt: now)
    _ = try store.add(key, ifNewestIs: 0)
    return place
  }

  /// Everything that the steps below change.
  private func state(_ place: Place) throws -> [String?] {
    try [
      "SELECT group_concat(id || generation || coalesce(ended, '') || coalesce(failed_at, '')) FROM family",
      "SELECT group_concat(is_spent) FROM code", "SELECT count(*) || group_concat(name) FROM user",
      "SELECT count(*) || group_concat(hex(key_id) || counter || verdict) FROM device",
      "SELECT group_concat(state || coalesce(polled_at, '')) FROM device_code", "SELECT count(*) FROM seen_digest",
      "SELECT count(*) FROM client", "SELECT count(*) FROM denial",
      "SELECT count(*) || coalesce(max(retired_at), '') FROM server_key", "SELECT count(*) FROM spent",
    ].map { try place.value($0) }
  }

  private static func key(_ counter: Int64) -> DeviceKey { DeviceKey(id: [1], publicKey: [2], counter: counter) }

  private static func family(_ id: String, _ number: UInt8, _ now: Timestamp) -> Family {
    Family(
      id: id, handle: handle(number), user: "u", client: "c", device: "d", scopes: [], authTime: now, createdAt: now,
      expiresAt: now.advanced(by: 1_000), idleSeconds: 1_000, current: hash(number))
  }

  /// An assertion of a device's, with a counter that rose or one that did not.
  private static func asserted(_ counter: Int64, _ now: Timestamp) -> DeviceFinding {
    DeviceFinding(.assertion(key(counter)), verdict: Device.Verdict("asserted", at: now), isRequired: true)
  }

  private static func told<T>() -> Auditing<T> { { _ in [AuditEntry("step", [], at: Timestamp(seconds: 1))] } }

  private static func attested(_ token: KeyedHash, _ counter: Int64, _ now: Timestamp) -> Rotation {
    var rotation = Rotation(
      handle: handle(1), presented: [token], successor: hash(3), client: "c", device: "d", now: now)
    (rotation.finding, rotation.audit) = (asserted(counter, now), told())
    return rotation
  }

  private static func redeem(in store: SQLiteStore, _ counter: Int64, _ now: Timestamp) throws(Failure) {
    var redemption = Redemption(
      presented: [hash(9)], client: "c", redirectURI: "r", challenge: "x", device: "d", handle: handle(2), id: "sid-2",
      first: hash(8), lifetimeSeconds: 100, idleSeconds: 100, now: now)
    (redemption.description.finding, redemption.audit) = (asserted(counter, now), told())
    _ = try store.redeem(redemption)
  }

  private static func poll(in store: SQLiteStore, _ counter: Int64, _ now: Timestamp) throws(Failure) {
    var poll = DevicePoll(
      presented: [hash(10)], client: "c", device: "d", handle: handle(2), id: "sid-2", first: hash(8),
      lifetimeSeconds: 100, idleSeconds: 100, now: now)
    (poll.description.finding, poll.audit) = (asserted(counter, now), told())
    _ = try store.poll(poll)
  }

  private static func begin(in store: SQLiteStore, _ counter: Int64, _ now: Timestamp) throws(Failure) {
    _ = try store.begin(
      family("sid-2", 2, now), on: DeviceDescription(finding: asserted(counter, now)),
      spending: SpentOnce(digest: [1], until: now), admission: nil, audit: told())
  }

  typealias Step = @Sendable (SQLiteStore, Timestamp) throws(Failure) -> Void

  private static let steps: [String: Step] = [
    "a replay": { (store, now) throws(Failure) in
      var rotation = Rotation(
        handle: handle(1), presented: [hash(1)], successor: hash(3), client: "c", device: "d", now: now)
      (rotation.denyUntil, rotation.audit) = (now, told())
      _ = try store.rotate(rotation)
    },
    "a rotation": { (store, now) throws(Failure) in
      var rotation = Rotation(
        handle: handle(1), presented: [hash(2)], successor: hash(3), client: "c", device: "d", now: now)
      rotation.audit = told()
      _ = try store.rotate(rotation)
    },
    "a code": { (store, now) throws(Failure) in
      var redemption = Redemption(
        presented: [hash(9)], client: "c", redirectURI: "r", challenge: "x", device: nil, handle: handle(2),
        id: "sid-2", first: hash(8), lifetimeSeconds: 100, idleSeconds: 100, now: now)
      redemption.audit = told()
      _ = try store.redeem(redemption)
    },
    "an attested rotation": { (store, now) throws(Failure) in
      _ = try store.rotate(attested(hash(2), 1, now))
    },
    "a refused attestation of a rotation": { (store, now) throws(Failure) in
      _ = try store.rotate(attested(hash(2), 0, now))
    },
    "an attested code": { (store, now) throws(Failure) in try redeem(in: store, 1, now) },
    "a refused attestation of a code": { (store, now) throws(Failure) in try redeem(in: store, 0, now) },
    "an attested device code": { (store, now) throws(Failure) in try poll(in: store, 1, now) },
    "a refused attestation of a device code": { (store, now) throws(Failure) in try poll(in: store, 0, now) },
    "an attested sign-in": { (store, now) throws(Failure) in try begin(in: store, 1, now) },
    "a refused attestation of a sign-in": { (store, now) throws(Failure) in try begin(in: store, 0, now) },
    "an end": { (store, now) throws(Failure) in
      _ = try store.end(.id("sid"), .revoked, now: now, denyUntil: now, audit: told())
    },
    "an end of all": { (store, now) throws(Failure) in
      _ = try store.endSome(.all, limit: 9, .administrator, now: now, denyUntil: now, audit: told())
    },
    "a client": { (store, now) throws(Failure) in
      _ = try store.removeClient("c", now: now, denyUntil: now, audit: told())
    },
    "a device": { (store, now) throws(Failure) in
      _ = try store.removeDevice(user: "u", id: "d", now: now, denyUntil: now, audit: told())
    },
    "a user": { (store, now) throws(Failure) in
      let user = User(id: "u", name: "v", passwordHash: nil, createdAt: now)
      _ = try store.change(user, ending: .disabled, now: now, denyUntil: now, audit: told())
    },
    "a new key": { (store, now) throws(Failure) in
      let key = SealedKey(
        purpose: .pepper, keyID: "", algorithm: "", publicJWK: "", sealed: [2], createdAt: now, activeAt: now)
      _ = try store.add(key, ifNewestIs: 1, audit: told())
    },
    "a retired key": { (store, now) throws(Failure) in
      _ = try store.retire(1, retiredAt: now, removedAt: now, audit: told())
    },
  ]

  @Test("A step whose record cannot be written changes nothing", arguments: steps.keys.sorted())
  func withoutItsRecordNothingIsDone(name: String) throws {
    let place = try filled(), step = try #require(Self.steps[name])
    let before = try state(place)
    try place.run("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'broken'); END")
    let store = try place.open()
    #expect(throws: Failure.self) { try step(store, now) }
    #expect(try state(place) == before)
    try place.run("DROP TRIGGER broken")
    try step(store, now)
    #expect(try state(place) != before)
    #expect(try place.value("SELECT count(*) FROM audit") == "1")
  }

  @Test("After a kill -9 each sign-in that ended has its record, and no other has one, and the chain is whole")
  func killed() throws {
    let place = try Place()
    try place.reset()
    try place.run(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO family (handle, id, user, client, device, scopes, auth_time, created_at, expires_at, idle_seconds,
        used_at, generation, current_pepper, current_hash)
      SELECT randomblob(16), 'sid-' || i, 'u', 'c', 'd', '', 0, 0, 1 << 40, 1 << 40, 0, 0, 1, randomblob(32) FROM n
      """)
    let probe = "\(Programs.buildFolder)/store-probe"
    var last = 0
    for round in 1...5 {
      let program = try Background([probe, "revoke", place.path, "20000"], in: place.sandbox)
      _ = program.text { $0.utf8.count > 400 * round }
      program.send(SIGKILL)
      _ = program.wait()
      let ended = try place.value("SELECT count(*) FROM family WHERE ended IS NOT NULL")
      let both = try place.value(
        """
        SELECT count(*) FROM family JOIN audit ON fields = '[["sid","' || id || '"]]' WHERE ended IS NOT NULL
        """)
      #expect(try place.value("SELECT count(*) FROM audit") == ended && both == ended, "round \(round)")
      let count = Int(ended ?? "") ?? 0
      #expect(count > last, "round \(round): nothing was ended: \(program.errorText)")
      last = count
      let verdict = try place.open().verifyAudit()
      #expect(verdict.firstBroken == nil && verdict.good == Int64(count))
    }
  }

  @Test("After a kill -9 a device's counter is that of its last sign-in, and each sign-in has its record")
  func killedWhileAttesting() throws {
    let place = try Place(), devices = 6
    try place.reset()
    let probe = "\(Programs.buildFolder)/store-probe"
    var last = 0
    for round in 1...5 {
      let program = try Background([probe, "attest", place.path, String(devices)], in: place.sandbox)
      _ = program.text { $0.utf8.count > 400 * round }
      program.send(SIGKILL)
      _ = program.wait()
      // A device's first family brings its key, and each one after it a counter that is one higher.
      let torn = try place.value(
        """
        SELECT count(*) FROM device WHERE key_id IS NULL OR verdict IS NULL OR counter + 1 <>
          (SELECT count(*) FROM family WHERE family.device = device.id)
        """)
      #expect(torn == "0", "round \(round)")
      let families = try place.value("SELECT count(*) FROM family")
      #expect(try place.value("SELECT count(*) FROM code WHERE is_spent = 1") == families, "round \(round)")
      let both = try place.value(
        "SELECT count(*) FROM family JOIN audit ON fields = '[[\"sid\",\"' || id || '\"]]'")
      #expect(try place.value("SELECT count(*) FROM audit") == families && both == families, "round \(round)")
      let count = Int(families ?? "") ?? 0
      #expect(count > last, "round \(round): nothing began: \(program.errorText)")
      last = count
      #expect(try place.open().verifyAudit().firstBroken == nil)
    }
  }
}
