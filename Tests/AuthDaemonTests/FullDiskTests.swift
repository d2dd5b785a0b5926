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

  /// A server on a disk, under load.
  private struct Loaded {
    let disk: SmallDisk
    let daemon: Daemon
    let process: pid_t
    let load: Background

    init(_ disk: SmallDisk) throws {
      self.disk = disk
      daemon = try Daemon(["MFS_AUTHD_DATABASE: \(disk.database)", "MFS_AUTHD_LOG_REQUESTS: false"])
      try daemon.serve()
      process = try #require(daemon.process?.program)
      load = try Background(
        ["/usr/bin/python3", Daemon.peer("full.py"), daemon.origin, Daemon.user, "password", "8", "report.json"],
        in: daemon.sandbox)
      #expect(load.text { $0.contains("ready") }.contains("ready"), "\(load.errorText)\n\(daemon.log)")
    }
  }

  @Test(arguments: SmallDisk.kinds) func aFullDiskIsSaidAndGotOver(kind: SmallDisk.Kind) throws {
    if !SmallDisk.kinds.contains(.mounted) { notTested("a full file system of its own: this user cannot mount one") }
    let loaded = try Loaded(SmallDisk(kind))
    #expect(try status(loaded.daemon).status == "200")
    try fill(loaded)
    try loaded.disk.makeRoom(for: loaded.process)
    #expect(try wait(loaded.daemon, for: "200"), "it does not go on\n\(loaded.daemon.log.suffix(2_000))")
    try end(loaded)
  }

  /// The log alone would fill this disk, and so would what it needs for these refreshes where it were never begun anew.
  @Test(arguments: SmallDisk.kinds) func whatRoomThereIsSufficesForTheLog(kind: SmallDisk.Kind) throws {
    let loaded = try Loaded(SmallDisk(kind, size: 8 << 20))
    try refresh(loaded, times: 4_000)
    #expect(!loaded.daemon.log.contains("server.failure"), "the log filled the disk")
    try fill(loaded)
    try loaded.disk.makeRoom(1 << 20, for: loaded.process)
    #expect(try wait(loaded.daemon, for: "200"), "it does not go on\n\(loaded.daemon.log.suffix(2_000))")
    try refresh(loaded, times: 4_000)
    #expect(try status(loaded.daemon).status == "200")
    try end(loaded)
  }

  /// Leaves no room, until the server says so.
  private func fill(_ loaded: Loaded) throws {
    let daemon = loaded.daemon
    try loaded.disk.fill(for: loaded.process)
    #expect(try wait(daemon, for: "503"), "it never said that it cannot write\n\(daemon.log.suffix(2_000))")
    #expect(try Int(status(daemon).retry) != nil)
    let log = daemon.process?.errorText { $0.contains("\"level\":\"alert\"") } ?? ""
    // A line that is just being written is not one yet.
    let lines = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let alerts = try Daemon.lines(lines.joined(separator: "\n")).filter { $0["level"] as? String == "alert" }
    #expect(alerts.contains { $0["event"] as? String == "server.failure" }, "\(alerts)")
  }

  /// Waits until the server has answered so many refreshes more, a minute at most.
  private func refresh(_ loaded: Loaded, times: Int) throws {
    func answered() throws -> Int {
      let line = try loaded.daemon.get(loaded.daemon.metrics + "/metrics").text.split(separator: "\n")
        .first { $0.hasPrefix("mfs_responses_total{endpoint=\"token\",status=\"200\"} ") }
      return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    let first = try answered()
    var count = 0
    for _ in 0..<600 where count < times {
      usleep(100_000)
      count = try answered() - first
    }
    #expect(count >= times, "\(loaded.daemon.log.suffix(2_000))")
  }

  /// Ends the load. What was answered was kept, and what was not answered with tokens did not happen.
  private func end(_ loaded: Loaded) throws {
    let daemon = loaded.daemon
    try daemon.sandbox.write("enough", "")
    #expect(loaded.load.wait() == 0, "\(loaded.load.errorText)")
    let seen = try JSONDecoder().decode(
      [Seen].self, from: Data(contentsOf: URL(fileURLWithPath: daemon.sandbox("report.json"))))
    #expect(seen.count == 8 && seen.allSatisfy { $0.end == "enough" }, "\(seen.map(\.end))")
    #expect(seen.contains { $0.waits > 0 } && seen.allSatisfy { $0.bare == 0 }, "503 without Retry-After")
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
