import Foundation
import TestSupport
import Testing

/// What clients have seen is there afterwards, however the server ended.
@Suite struct StoppingTests {
  struct Seen: Decodable {
    let sid: String
    let token: String
    let previous: String?
    let rotations: Int
    let end: String
  }

  private static let families = 16

  /// Has many apps refresh at once, ends the server by `end` and returns what each app has seen.
  private func underLoad(
    _ daemon: Daemon, by runner: [String] = [], _ end: () throws -> Void
  ) throws -> [Seen] {
    try daemon.serve(under: runner)
    let load = try Background(
      [
        "/usr/bin/python3", Daemon.peer("app.py"), "load", daemon.origin, Daemon.user, "password",
        String(StoppingTests.families), "report.json",
      ], in: daemon.sandbox)
    #expect(load.text { $0.contains("ready") }.contains("ready"), "\(load.errorText)\n\(daemon.log)")
    usleep(500_000)
    try end()
    #expect(load.wait() == 0, "\(load.errorText)")
    let report = try Data(contentsOf: URL(fileURLWithPath: daemon.sandbox("report.json")))
    let seen = try JSONDecoder().decode([Seen].self, from: report)
    #expect(seen.count == StoppingTests.families && seen.allSatisfy { $0.rotations > 0 })
    return seen
  }

  private func rotations(_ daemon: Daemon) throws -> [String: Int] {
    struct List: Decodable {
      struct Family: Decodable {
        let sid: String
        let rotations: Int
      }
      let families: [Family]
    }
    let list = try JSONDecoder().decode(List.self, from: daemon.admin("family", "list", "--json").output)
    return Dictionary(uniqueKeysWithValues: list.families.map { ($0.sid, $0.rotations) })
  }

  /// Every request that was taken is answered: no rotation happens that its app does not hear of.
  @Test func aServerThatIsToldToStopAnswersWhatItTook() throws {
    let daemon = try Daemon()
    var status: Int32 = -1
    let seen = try underLoad(daemon) { status = try daemon.stop().status }
    #expect(status == 0)
    let kept = try rotations(daemon)
    for one in seen {
      #expect(one.end == "stopping" || one.end == "refused" || one.end.hasPrefix("cut"), "\(one.end)")
      #expect(kept[one.sid] == one.rotations, "\(one.end)")
    }
    try daemon.serve()
    for one in seen { #expect(try daemon.refresh(one.token).status == 200, "\(one.end)") }
  }

  private static let crowd = """
    import socket, sys
    held = []
    for _ in range(300):
        try:
            held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=1))
        except OSError:
            break
    print("held", flush=True)
    sys.stdin.read()
    """

  /// Who only connects takes no descriptor that a refresh needs once its token is spent: no honest client looks like a thief for it.
  @Test func aCrowdOfConnectionsEndsNoFamily() throws {
    let daemon = try Daemon()
    var log = ""
    let seen = try underLoad(daemon, by: ["prlimit", "--nofile=120:120"]) {
      let port = String(daemon.origin.split(separator: ":").last ?? "")
      let crowd = try Background(["/usr/bin/python3", "-c", StoppingTests.crowd, port], in: daemon.sandbox)
      #expect(crowd.text { $0.contains("held") }.contains("held"), "\(crowd.errorText)")
      usleep(1_000_000)
      crowd.send(SIGKILL)
      _ = crowd.wait()
      log = try daemon.stop().log
    }
    let kept = try rotations(daemon)
    for one in seen {
      #expect(one.end == "stopping" || one.end == "refused" || one.end.hasPrefix("cut"), "\(one.end)")
      #expect(kept[one.sid] == one.rotations, "\(one.end)")
    }
    #expect(!log.contains("refresh.refused") && !log.contains("server.failure"), "\(log.suffix(2_000))")
  }

  /// Killed, it may have done one more for each app than that app heard of, and never less.
  @Test func whatAKilledServerAnsweredIsDone() throws {
    let daemon = try Daemon()
    let seen = try underLoad(daemon) { daemon.kill() }
    let kept = try rotations(daemon)
    for one in seen {
      let count = kept[one.sid] ?? -1
      #expect(count == one.rotations || count == one.rotations + 1, "\(one.end): \(count), \(one.rotations)")
    }
    // It starts again without any repair; one token of each family lives, at most.
    try daemon.serve()
    for one in seen {
      let count = kept[one.sid] ?? -1
      let last = try daemon.refresh(one.token)
      #expect(last.status == (count == one.rotations ? 200 : 400))
      if let previous = one.previous { #expect(try daemon.refresh(previous).status == 400) }
    }
    #expect(try daemon.admin("audit", "verify").status == 0)
    #expect(try daemon.stop().status == 0)
  }
}
