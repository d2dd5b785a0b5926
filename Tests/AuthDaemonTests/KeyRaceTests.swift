import Foundation
import TestSupport
import Testing

/// Several processes on one database whose keys rotate: `Peer/keys.py` and `Peer/rotate.py` say what is held.
@Suite("Races of processes") struct KeyRaceTests {
  /// Of two servers that start anew, and are under load while the time of the new keys comes.
  static let rounds = raceRounds(5)

  @Test("two processes rotate at once, 50 times: one new key, one new pepper, and both name the same")
  func processes() throws {
    let daemon = try Daemon(), rounds = raceRounds(50)
    let result = try run(
      ["/usr/bin/python3", Daemon.peer("rotate.py"), String(rounds), Machine.faketimeLibrary(hasThreads: true)],
      in: daemon.sandbox, seconds: 60 + 10 * rounds)
    try #require(result.status == 0, "\(result.errorText)")
    struct Seen: Decodable {
      let rounds: Int
      let first: [String: Int]
    }
    let seen = try JSONDecoder().decode(Seen.self, from: result.output)
    #expect(seen.rounds >= rounds && seen.first.count == 2, "\(seen)")
    // One after the other would do, if it was always the one that was started first.
    #expect(seen.first.values.allSatisfy { (1..<seen.rounds).contains($0) }, "\(seen)")
  }

  @Test("two servers reach the time of rotation at once: one new key, one new pepper, and every token counts at both")
  func rotations() throws {
    let daemon = try Daemon([
      "MFS_AUTHD_KEY_ROTATION_SECONDS: 86400", "MFS_AUTHD_PEPPER_ROTATION_SECONDS: 86400",
      "MFS_AUTHD_JWKS_MAX_AGE_SECONDS: 0", "MFS_AUTHD_FAMILY_SECONDS: 172800", "MFS_AUTHD_IDLE_SECONDS: 172800",
      "MFS_AUTHD_PEPPER_KEEP_SECONDS: 172800", "MFS_AUTHD_LOG_REQUESTS: false",
    ])
    let result = try run(
      [
        "/usr/bin/python3", Daemon.peer("keys.py"), String(KeyRaceTests.rounds), Daemon.user, "password",
        Machine.faketimeLibrary(hasThreads: true),
      ], in: daemon.sandbox, seconds: 60 + 20 * KeyRaceTests.rounds)
    try #require(result.status == 0, "\(result.errorText)")
    struct Seen: Decodable {
      let rounds: Int
      let refreshes: Int
    }
    let seen = try JSONDecoder().decode(Seen.self, from: result.output)
    #expect(seen.rounds == KeyRaceTests.rounds && seen.refreshes >= 32 * seen.rounds, "\(seen)")
    let log = try Daemon.lines(String(contentsOfFile: daemon.sandbox("server.log"), encoding: .utf8))
    #expect(!log.contains { $0["level"] as? String == "alert" })
  }
}
