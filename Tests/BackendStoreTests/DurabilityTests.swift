import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import TestSupport
import Testing

@Suite struct DurabilityTests {
  private let probe = "\(Programs.buildFolder)/store-probe"
  private let families = 6

  /// The last generation that a program said each family has.
  private func reported(_ text: String) -> [Int: Int64] {
    var last: [Int: Int64] = [:]
    // A line that the program was killed in says nothing.
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ")
      if words.count == 2, let family = Int(words[0]), let generation = Int64(words[1]) { last[family] = generation }
    }
    return last
  }

  @Test("RF-15 What was committed before a kill -9 is there after it, whatever the moment, and nothing needs a repair")
  func whatWasReportedIsKept() throws {
    let place = try Place()
    let generator = Monitor(SeededGenerator(15))
    var before: [Int: Int64] = [:]
    for round in 0..<6 {
      let program = try Background([probe, "commit", place.path, String(families)], in: place.sandbox)
      let lines = generator.withLock { Int.random(in: 20...400, using: &$0) }
      let text = program.text { $0.utf8.count > lines * 5 }
      #expect(text.utf8.count > lines * 5, "round \(round): \(program.errorText)")
      program.send(SIGKILL)
      _ = program.wait()
      let said = reported(program.text)
      #expect(!said.isEmpty)
      #expect(!program.text.contains("stopped"))
      let store = try SQLiteStore(path: place.path)
      for family in 0..<families {
        let kept = try #require(try store.family(id: "family-\(family)"))
        let generation = said[family] ?? before[family] ?? 0
        // One more may have been committed without a word of it.
        #expect((generation...(generation + 1)).contains(kept.generation), "round \(round), family \(family)")
        #expect(kept.end == nil)
        before[family] = kept.generation
      }
      #expect(try place.value("PRAGMA integrity_check") == "ok")
      let spent = try place.value("SELECT count(*) FROM spent"), rotations = before.values.reduce(0, +)
      #expect(spent == String(rotations), "each rotation spent one token")
    }
  }

  @Test("A full disk refuses what does not fit, keeps what did, and is forgotten once there is room")
  func aFullDiskLosesNothing() throws {
    for limit in [400_000, 433_333] {
      let place = try Place()
      let result = try run([probe, "fill", place.path, String(limit)], in: place.sandbox)
      #expect(result.status == 0, "\(result.text)\(result.errorText)")
      let lines = result.text.split(separator: "\n").map(String.init)
      try #require(lines.count == 3, "\(lines)")
      let number = try #require(Int64(lines[0].split(separator: " ").last ?? ""))
      #expect(lines == ["refused io at \(number)", "kept \(number)", "recovered at \(number + 10)"])
      // Far more than a log of that size holds: it is written back and begun anew until the database itself does not fit.
      #expect(number > 1_000)
      let store = try SQLiteStore(path: place.path)
      #expect(try store.family(id: "family-0")?.generation == number + 10)
      #expect(try place.value("PRAGMA integrity_check") == "ok")
    }
  }

  @Test(
    "Steps of one transaction stand alone: one that fails halfway takes nothing from the others, and leaves nothing")
  func aStepThatFailsHalfwayLeavesNothing() throws {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    let now = Timestamp(seconds: 1_000)
    try store.add(User(id: "u", name: "u", passwordHash: nil, createdAt: now))
    @Sendable func hash(_ number: Int) -> KeyedHash {
      KeyedHash(pepper: 1, bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
    }
    // All of them redeem into one id: each spends its code first, and all but one then fail.
    for number in 0..<40 {
      try store.add(
        AuthorizationCode(
          hash: hash(number), client: "c", redirectURI: "r", challenge: "x", user: "u", device: nil, scopes: [],
          nonce: nil, authTime: now, browserSession: nil, expiresAt: now.advanced(by: 60)))
    }
    let outcomes = Monitor<[String]>([])
    for number in 0..<80 {
      try Thread {
        do throws(Failure) {
          if number < 40 {
            let redemption = Redemption(
              presented: [hash(number)], client: "c", redirectURI: "r", challenge: "x", device: nil,
              handle: Array(hash(number).bytes.prefix(16)), id: "same", first: hash(number), lifetimeSeconds: 60,
              idleSeconds: 60, now: now)
            if case .redeemed = try store.redeem(redemption) { outcomes.withLock { $0.append("redeemed") } }
          } else {
            _ = try store.audit("event", [], at: now)
            outcomes.withLock { $0.append("audited") }
          }
        } catch { outcomes.withLock { $0.append(error.code.name) } }
      }.detach()
    }
    let all = outcomes.wait { $0.count == 80 ? $0 : nil }
    #expect(all.filter { $0 == "redeemed" }.count == 1)
    #expect(all.filter { $0 == "exists" }.count == 39)
    #expect(all.filter { $0 == "audited" }.count == 40)
    #expect(try place.value("SELECT count(*) FROM code WHERE is_spent = 1") == "1")
    #expect(try store.verifyAudit().good == 40)
  }

  @Test("JK-04 Of several processes that add a key after the same one, one does, for each of many keys")
  func raceOfProcesses() throws {
    let rounds = raceRounds(60)
    let place = try Place()
    try place.reset()
    let programs = try (0..<4).map { _ in
      try Background([probe, "keys", place.path, String(rounds)], in: place.sandbox)
    }
    var added = 0
    for program in programs {
      #expect(program.wait() == 0, "\(program.errorText)")
      added += Int(program.text.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? "") ?? 0
    }
    #expect(added == rounds)
    let keys = try place.open().keys(.signing)
    #expect(keys.map(\.number) == (1...rounds).map { Int64($0) })
  }

  @Test("The log is written back while commits go on, and does not grow with them")
  func theLogStaysSmall() throws {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    var client = Client(id: "c", name: "", redirectURIs: [])
    var largest: UInt64 = 0
    // About 120 MB in all.
    for number in 0..<600 {
      client.properties = ["text": String(repeating: Character(UnicodeScalar(UInt8(65 + number % 26))), count: 200_000)]
      try store.put(client)
      let size = try FileManager.default.attributesOfItem(atPath: "\(place.path)-wal")[.size] as? UInt64
      largest = max(largest, size ?? .max)
    }
    #expect((16_000_000...80_000_000).contains(largest))
    #expect(try store.client("c") == client)
  }

  @Test("A lock that another process keeps is waited for, and then said to be kept")
  func aLockThatIsKeptIsSaid() throws {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    try place.whileLocked { () throws in
      #expect(throws: Failure(.lockTimeout, "")) { try store.probe() }
      // Readers do not wait.
      let users = try store.users()
      #expect(users == [])
    }
    try store.probe()
  }
}
