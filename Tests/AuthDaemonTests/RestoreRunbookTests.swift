import Foundation
import TestSupport
import Testing

/// "Backup" and "Restore" of docs/BACKEND.md are followed to the letter, but for places, users and systemd.
@Suite struct RestoreRunbookTests {
  /// The commands of a section, one a line.
  private func commands(_ section: String) throws -> [String] {
    try Guide.commands(of: "BACKEND.md", below: section).flatMap { $0.split(separator: "\n").map(String.init) }
  }

  private func follow(_ commands: [String], _ daemon: Daemon, with known: inout [String]) throws {
    let places = [
      ("/var/lib/mfs-authd", daemon.sandbox("data")), ("/var/backups/mfs-authd", daemon.sandbox("backups")),
      ("/etc/mfs-authd/config.yaml", daemon.sandbox("config.yaml")), ("runuser -u mfs-authd -- ", ""),
      (" -o mfs-authd -g mfs-authd", ""),
    ]
    for command in commands {
      if command == "systemctl stop mfs-authd" {
        // What comes next would be refused beside it.
        try daemon.admin("after-restore", status: 42)
        #expect(try daemon.stop().status == 0)
      } else if command == "systemctl start mfs-authd" {
        try daemon.serve()
      } else {
        let line = (places + [("http://127.0.0.1:8480", daemon.origin)]).reduce(command) {
          $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
        if command.hasPrefix("authd()") || command.hasPrefix("copy=") {
          known.append(line)
          continue
        }
        let result = try run(["sh", "-ec", (known + [line]).joined(separator: "\n")], in: daemon.sandbox)
        #expect(result.status == 0, "\(command): \(result.errorText)")
      }
    }
  }

  @Test func theyAreFollowed() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let one = try daemon.signIn()
    let backup = try commands("Backup"), restore = try commands("Restore")
    let order = ["systemctl stop", "install -o", "authd migrate", "authd after-restore", "systemctl start"]
    let places = order.map { word in restore.firstIndex { $0.hasPrefix(word) } ?? -1 }
    #expect(places == places.sorted() && !places.contains(-1))
    var known: [String] = []
    try follow(backup, daemon, with: &known)
    let next = try daemon.refresh(one.tokens.refresh_token), later = try daemon.signIn()
    #expect(next.status == 200)
    try follow(restore, daemon, with: &known)
    for token in [next.next ?? "", one.tokens.refresh_token, later.tokens.refresh_token] {
      #expect(try daemon.refresh(token).error == "invalid_grant")
    }
    _ = try daemon.signIn()
    #expect(try daemon.admin("audit", "show").text.contains("store.restored"))
    #expect(!FileManager.default.fileExists(atPath: daemon.sandbox("data/replaced")))
    let log = try Daemon.lines(daemon.stop().log)
    #expect(!log.contains { $0["level"] as? String == "alert" })
  }
}
