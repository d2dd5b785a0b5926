import Foundation
import TestSupport
import Testing

/// A server whose disk fills up under load says so, changes nothing that it did not answer, and goes on when there is room.
@Suite struct FullDiskTests {
  struct Seen: Decodable {
    let sid: String
    let token: String
    let rotations: Int
    let waits: Int
    let bare: Int
    let end: String
  }

  private func status(_ daemon: Daemon) throws -> (status: String, retry: String) {
    let words = try daemon.get(
      daemon.origin + "/readyz", "--output", "/dev/null", "--write-out", "%{http_code} %header{retry-after}"
    ).text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return (words[0], words.count > 1 ? words[1] : "")
  }

  /// Asks until the server says that it is ready, or that it is not; 20 seconds at most.
  private func wait(_ daemon: Daemon, for wanted: String) throws -> Bool {
    for _ in 0..<200 {
      if try status(daemon).status == wanted { return true }
      usleep(50_000)
    }
    return false
  }

  @Test(arguments: SmallDisk.kinds) func aFullDiskIsSaidAndGotOver(kind: SmallDisk.Kind) throws {
    if !SmallDisk.kinds.contains(.mounted) { notTested("a full file system of its own: this user cannot mount one") }
    let disk = try SmallDisk(kind)
    let daemon = try Daemon(["MFS_AUTHD_DATABASE: \(disk.path)/auth.db", "MFS_AUTHD_LOG_REQUESTS: false"])
    try daemon.serve()
    let process = try #require(daemon.process?.program)
    let load = try Background(
      ["/usr/bin/python3", Daemon.peer("full.py"), daemon.origin, Daemon.user, "password", "8", "report.json"],
      in: daemon.sandbox)
    #expect(load.text { $0.contains("ready") }.contains("ready"), "\(load.errorText)\n\(daemon.log)")
    #expect(try status(daemon).status == "200")
    try disk.fill(for: process)
    #expect(try wait(daemon, for: "503"), "it never said that it cannot write\n\(daemon.log.suffix(2_000))")
    #expect(try Int(status(daemon).retry) != nil)
    let log = daemon.process?.errorText { $0.contains("\"level\":\"alert\"") } ?? ""
    // A line that is just being written is not one yet.
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let alerts = try Daemon.lines(lines.joined(separator: "\n")).filter { $0["level"] as? String == "alert" }
    #expect(alerts.contains { $0["event"] as? String == "server.failure" }, "\(alerts)")
    try disk.makeRoom(for: process)
    #expect(try wait(daemon, for: "200"), "it does not go on\n\(daemon.log.suffix(2_000))")
    try daemon.sandbox.write("enough", "")
    #expect(load.wait() == 0, "\(load.errorText)")

    let seen = try JSONDecoder().decode(
      [Seen].self, from: Data(contentsOf: URL(fileURLWithPath: daemon.sandbox("report.json"))))
    #expect(seen.count == 8 && seen.allSatisfy { $0.end == "enough" }, "\(seen.map(\.end))")
    #expect(seen.contains { $0.waits > 0 } && seen.allSatisfy { $0.bare == 0 }, "503 without Retry-After")
    // What was answered was kept, and what was not answered with tokens did not happen.
    let kept = try rotations(daemon)
    for one in seen { #expect(kept[one.sid] == one.rotations) }
    for one in seen { #expect(try daemon.refresh(one.token).status == 200) }
    #expect(try daemon.stop().status == 0)
    #expect(try daemon.admin("audit", "verify").status == 0)
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
}
