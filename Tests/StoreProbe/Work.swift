internal import BackendStore
import BackendStoreConformance
internal import Basics
internal import Glibc

/// Hash number `number` of family `family`: made up, and each one different.
func hash(_ family: Int, _ number: Int64) -> KeyedHash {
  var bytes = [UInt8](repeating: 0, count: 32)
  // Spread over the tree as real hashes are.
  var mixed = (UInt64(family) << 32 | UInt64(truncatingIfNeeded: number)) &* 0x9E37_79B9_7F4A_7C15
  mixed ^= mixed >> 29
  for index in 0..<8 {
    bytes[index] = UInt8(truncatingIfNeeded: mixed >> (index * 8))
    bytes[8 + index] = UInt8(truncatingIfNeeded: number >> (index * 8))
    bytes[16 + index] = UInt8(truncatingIfNeeded: family >> (index * 8))
  }
  return KeyedHash(pepper: 1, bytes: bytes)
}

func handle(_ family: Int) -> [UInt8] { Array(hash(family, 0).bytes[0..<8] + hash(family, 0).bytes[16..<24]) }

/// Begins families, many at once.
func begin(_ families: Range<Int>, in store: SQLiteStore) throws(Failure) {
  let now = Timestamp(seconds: 1_000_000_000)
  if try store.user(id: "u") == nil { try store.add(User(id: "u", name: "u", passwordHash: nil, createdAt: now)) }
  let done = Monitor(0)
  let threads = min(32, families.count)
  for thread in 0..<threads {
    let part = families.filter { $0 % threads == thread }
    let worker = try Thread {
      for family in part {
        _ = try? store.begin(
          Family(
            id: "family-\(family)", handle: handle(family), user: "u", client: "mobile", device: "device-\(family)",
            scopes: ["openid", "profile"], authTime: now, createdAt: now, expiresAt: now.advanced(by: 1 << 40),
            idleSeconds: 1 << 40, current: hash(family, 0)))
      }
      done.withLock { $0 += 1 }
    }
    worker.detach()
  }
  done.wait { $0 == threads ? () : nil }
}

/// Rotates a family once from a generation.
func rotate(_ family: Int, from generation: Int64, in store: SQLiteStore) throws(Failure) -> Bool {
  let outcome = try store.rotate(
    Rotation(
      handle: handle(family), presented: [hash(family, generation)], successor: hash(family, generation + 1),
      client: "mobile", device: "device-\(family)", now: Timestamp(seconds: 1_000_000_100)))
  if case .rotated = outcome { return true }
  return false
}

func commitForever(file: String, families: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  try begin(0..<families, in: store)
  say("ready")
  for family in 0..<families {
    let worker = try Thread {
      var generation = (try? store.family(id: "family-\(family)")?.generation) ?? 0
      while (try? rotate(family, from: generation, in: store)) == true {
        generation += 1
        say("\(family) \(generation)")
      }
      say("stopped \(family) at \(generation)")
    }
    worker.detach()
  }
  while true { pause() }
}

/// Fills the disk, as a file size limit has it, and goes on once there is room.
func fill(file: String, limit: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  try begin(0..<1, in: store)
  signal(SIGXFSZ, SIG_IGN)
  var most = rlimit()
  unsafe getrlimit(__rlimit_resource_t(1), &most)
  var small = most
  small.rlim_cur = rlim_t(limit)
  unsafe setrlimit(__rlimit_resource_t(1), &small)
  var generation: Int64 = 0
  do throws(Failure) {
    while try rotate(0, from: generation, in: store) { generation += 1 }
    say("stopped at \(generation)")
  } catch { say("refused \(error.code.name) at \(generation)") }
  say("kept \(try store.family(id: "family-0")?.generation ?? -1)")
  unsafe setrlimit(__rlimit_resource_t(1), &most)
  for _ in 0..<10 where try rotate(0, from: generation, in: store) { generation += 1 }
  say("recovered at \(generation)")
}

/// Adds keys as several servers would that find it is time for one: until there are so many, each after the newest it sees.
func addKeys(file: String, count: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  var added = 0
  while true {
    let keys = try store.keys(.signing)
    if keys.count >= count { break }
    let now = Timestamp(seconds: 1_000_000_000)
    let key = SealedKey(
      purpose: .signing, keyID: "\(getpid())-\(added)", algorithm: "EdDSA", publicJWK: "{}", sealed: [1],
      createdAt: now,
      activeAt: now)
    if try store.add(key, ifNewestIs: keys.last?.number ?? 0) != nil { added += 1 }
  }
  say("added \(added)")
}

func endAll(file: String) throws(Failure) {
  let store = try SQLiteStore(path: file)
  let now = Timestamp(seconds: 1_000_000_000)
  let count = try store.endAll(.all, .administrator, now: now, denyUntil: now.advanced(by: 900))
  // Not getrusage: that counts what the process was before exec.
  let status = String(decoding: try Files.read("/proc/self/status", limit: 65_536), as: UTF8.self)
  let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  say("\(count) \(peak.filter(\.isNumber))")
}

func revoke(file: String, count: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  let now = Timestamp(seconds: 1_000_000_000)
  let done = Monitor(0)
  for thread in 0..<8 {
    let worker = try Thread {
      for family in stride(from: thread + 1, through: count, by: 8) {
        let ended = try? store.end(.id("sid-\(family)"), .revoked, now: now, denyUntil: now) { ended in
          ended.map { AuditEntry("family.ended", [.init("sid", $0.id)], at: now) }
        }
        if ended?.isEmpty == false { say("\(family)") }
      }
      done.withLock { $0 += 1 }
    }
    worker.detach()
  }
  done.wait { $0 == 8 ? () : nil }
}
