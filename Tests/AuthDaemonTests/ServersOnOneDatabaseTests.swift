import BackendStore
import Foundation
import TestSupport
import Testing

/// What a server keeps in memory is not changed behind its back: some commands are for a database that no server runs on.
@Suite struct ServersOnOneDatabaseTests {
  private func second(_ daemon: Daemon) throws -> Background {
    let other = try Background(["mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox)
    #expect(other.text { $0.hasSuffix("\n") }.contains("listen"), "\(other.errorText)")
    return other
  }

  /// Whichever of several servers is left, and however the last one ends, that is noticed.
  @Test func afterRestoreWaitsUntilNoServerRuns() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let other = try second(daemon)
    let one = try daemon.signIn()
    let keys = try daemon.admin("key", "list").text
    for isLast in [false, true] {
      if isLast {
        other.send(SIGTERM)
        #expect(other.wait() == 0)
      }
      let refused = try daemon.admin("after-restore", status: 42)
      #expect(refused.errorText.contains("a server runs on the database data/auth.db; nothing was changed"))
      #expect(refused.errorText.contains("systemctl stop mfs-authd"))
    }
    #expect(try daemon.admin("key", "list").text == keys)
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 200)
    daemon.kill()
    let done = try daemon.admin("after-restore")
    #expect(done.errorText.hasPrefix("1 sign-in ended, and no signing key of before is in use\nnext: start the server"))
    // None of the keys is left.
    let kids = { (text: String) in Set(text.split(separator: "\n").compactMap { $0.split(separator: " ").last }) }
    #expect(try kids(daemon.admin("key", "list").text).isDisjoint(with: kids(keys)))
    try daemon.serve()
    #expect(try daemon.stop().status == 0)
  }

  /// A server that starts meanwhile waits for the end of it.
  @Test func aServerStartsWhenTheDatabaseIsFree() throws {
    let daemon = try Daemon(), ends = Pipe()
    let locked = Process()
    locked.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
    locked.arguments = [daemon.sandbox("data/auth.db.serving"), "sh", "-c", "echo; read x"]
    locked.standardInput = ends
    let said = Pipe()
    locked.standardOutput = said
    try daemon.sandbox.write("data/auth.db.serving", "", mode: 0o600)
    try locked.run()
    _ = try said.fileHandleForReading.read(upToCount: 1)
    let refused = try daemon.admin("serve", status: 42)
    #expect(refused.errorText.contains("a command has the database data/auth.db for itself"))
    let waiting = try Background(["mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox)
    #expect(hasOpen("data/auth.db.serving", waiting, daemon))
    #expect(waiting.text.isEmpty && waiting.isRunning, "\(waiting.errorText)")
    try ends.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    locked.waitUntilExit()
    #expect(waiting.text { $0.hasSuffix("\n") }.contains("listen"), "\(waiting.errorText)")
    waiting.send(SIGTERM)
    #expect(waiting.wait() == 0)
  }

  /// Whether a server has a file open, which it may need some time for.
  private func hasOpen(_ file: String, _ server: Background, _ daemon: Daemon) -> Bool {
    let path = URL(fileURLWithPath: daemon.sandbox(file)).resolvingSymlinksInPath().path
    for _ in 0..<3_000 where server.isRunning {
      let folder = "/proc/\(server.program ?? 0)/fd"
      let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      if open.contains(where: {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
      }) {
        return true
      }
      usleep(10_000)
    }
    return false
  }

  /// The format is not changed under a server; a database that has the newest one is left alone.
  @Test func migrateWaitsToo() throws {
    let daemon = try Daemon(), file = "old/auth.db"
    do { _ = try SQLiteStore(path: daemon.sandbox(file), migrations: [Migration.all[0]]) }
    let mark = try SQLiteStore.serve(daemon.sandbox(file))
    #expect(try daemon.admin("migrate", status: 42, database: file).errorText.contains("nothing was changed"))
    #expect(try SQLiteStore.format(of: daemon.sandbox(file)) == 1)
    mark.end()
    try daemon.admin("migrate", database: file)
    try daemon.serve()
    try daemon.admin("migrate")
    #expect(try daemon.stop().status == 0)
  }
}
