import Foundation
import TestSupport
import Testing

/// The runbooks of docs/BACKEND.md, step by step.
@Suite struct RunbookTests {
  /// A backup is taken beside the running server, put back later, and no honest app is called a thief.
  @Test func aBackupIsPutBackWithoutAlarms() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let one = try daemon.signIn(), two = try daemon.signIn()
    try copies(daemon)
    try daemon.admin("backup", "copies/auth.db")
    let next = try daemon.refresh(one.tokens.refresh_token)
    #expect(next.status == 200)
    // The backup knows nothing of this one.
    let later = try daemon.signIn()
    #expect(try active(later.tokens.access_token, daemon) && active(one.tokens.access_token, daemon))
    #expect(try daemon.stop().status == 0)
    #expect(try daemon.admin("after-restore", "--json", database: "copies/auth.db").text == "{\"ended\":2}\n")
    try daemon.serve(database: "copies/auth.db")
    // Newer than the backup, as old as it, and older.
    for token in [next.next ?? "", one.tokens.refresh_token, two.tokens.refresh_token] {
      #expect(try daemon.refresh(token).error == "invalid_grant")
    }
    for before in [one, two, later] {
      #expect(try !active(before.tokens.access_token, daemon))
    }
    let fresh = try daemon.signIn()
    #expect(try active(fresh.tokens.access_token, daemon))
    let audit = try daemon.admin("audit", "show", database: "copies/auth.db").text
    #expect(audit.components(separatedBy: "store.restored").count == 2)
    let log = try Daemon.lines(daemon.stop().log)
    #expect(!log.contains { $0["level"] as? String == "alert" })
    #expect(log.contains { $0["reason"] as? String == "ended" })
  }

  private func copies(_ daemon: Daemon) throws {
    try FileManager.default.createDirectory(
      atPath: daemon.sandbox("copies"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  private func active(_ token: String, _ daemon: Daemon) throws -> Bool { try userInfo(token, daemon) == "200" }

  private func userInfo(_ token: String, _ daemon: Daemon) throws -> String {
    try daemon.get(
      daemon.origin + "/oauth/userinfo", "--header", "Authorization: Bearer " + token, "--output", "/dev/null",
      "--write-out", "%{http_code}"
    ).text
  }

  /// Changes the database as no command does.
  private func change(_ daemon: Daemon, _ sql: String) throws {
    let program = "import sqlite3, sys; c = sqlite3.connect('data/auth.db'); c.executescript(sys.argv[1]); c.close()"
    let result = try run(["/usr/bin/python3", "-c", program, sql], in: daemon.sandbox)
    #expect(result.status == 0, "\(result.errorText)")
  }

  /// What an update asks for first, a backup, is of the format that was there.
  @Test func anOlderFormatIsBackedUp() throws {
    let daemon = try Daemon()
    try copies(daemon)
    try change(daemon, "DELETE FROM schema_version WHERE version > 1")
    try daemon.admin("user", "list", status: 3)
    try daemon.admin("backup", "copies/auth.db")
    #expect(try daemon.admin("user", "list", status: 3, database: "copies/auth.db").errorText.contains("format 1"))
  }

  @Test(arguments: [
    "DROP TABLE schema_version; CREATE TABLE schema_version (x TEXT)",
    "DROP TABLE schema_version; CREATE VIEW schema_version AS SELECT * FROM gone",
  ])
  func aStoreThatDoesNotKnowItsFormatIsDamaged(sql: String) throws {
    let daemon = try Daemon()
    try change(daemon, sql)
    for words in ["serve", "migrate"] { try daemon.admin(words, status: 30) }
  }

  /// What would wait for the other end of a pipe, deaf to signals, is no file of a configuration.
  @Test(arguments: ["KEY_FILE", "TLS_KEY", "TLS_CERTIFICATE", "WEBHOOK_AUTHORITIES", "APP_ATTEST_ROOTS"])
  func aPipeIsNoFile(name: String) throws {
    let daemon = try Daemon()
    var lines = ["MFS_AUTHD_WEBHOOK_URL: https://alerts.example.com/"]
    if name.hasPrefix("TLS") { lines += ["MFS_AUTHD_TLS_KEY: key", "MFS_AUTHD_TLS_CERTIFICATE: cert"] }
    lines = lines.filter { !$0.contains(name + ":") } + ["MFS_AUTHD_\(name): pipe"]
    let file = daemon.sandbox("config.yaml"), known = try String(contentsOfFile: file, encoding: .utf8)
    let own = known.split(separator: "\n").filter { !$0.contains("_\(name):") }.joined(separator: "\n")
    try daemon.sandbox.write("config.yaml", own + "\n" + lines.joined(separator: "\n") + "\n", mode: 0o600)
    for other in ["key", "cert"] { try daemon.sandbox.write(other, "x", mode: 0o600) }
    #expect(mkfifo(daemon.sandbox("pipe"), 0o600) == 0)
    let result = try run(
      ["timeout", "10", "mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox)
    #expect(result.status == 2 && result.errorText.contains("pipe"), "\(result.status) \(result.errorText)")
  }

  /// Copies that are taken while apps refresh without a pause are whole: each is a state that there was.
  @Test func aBackupUnderLoadIsWhole() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let load = try Background(
      ["/usr/bin/python3", Daemon.peer("app.py"), "load", daemon.origin, Daemon.user, "password", "8", "report.json"],
      in: daemon.sandbox)
    #expect(load.text { $0.contains("ready") }.contains("ready"), "\(load.errorText)")
    try copies(daemon)
    struct List: Decodable {
      struct Family: Decodable { let rotations: Int }
      let families: [Family]
    }
    var before = 0
    for number in 1...3 {
      let copy = "copies/\(number).db"
      try daemon.admin("backup", copy)
      #expect(try daemon.admin("audit", "verify", database: copy).status == 0)
      let list = try JSONDecoder().decode(
        List.self, from: daemon.admin("family", "list", "--json", database: copy).output)
      let sum = list.families.reduce(0) { $0 + $1.rotations }
      #expect(list.families.count == 8 && sum > before, "\(sum)")
      before = sum
    }
    #expect(try daemon.stop().status == 0)
    #expect(load.wait() == 0)
  }

  /// Without the key file nothing starts, and with another one neither; nothing is made beside what is there.
  @Test func aLostKeyFileIsNotReplacedByChance() throws {
    let daemon = try Daemon()
    let file = daemon.sandbox("auth.key")
    let key = try Data(contentsOf: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: file)
    try daemon.admin("serve", status: 21)
    try daemon.admin("init", status: 11)
    #expect(!FileManager.default.fileExists(atPath: file))
    try daemon.sandbox.write("auth.key", String(repeating: "k", count: 32), mode: 0o600)
    try daemon.admin("serve", status: 22)
    try key.write(to: URL(fileURLWithPath: file))
    try daemon.serve()
    #expect(try daemon.stop().status == 0)
  }

  /// A pepper that others may know is taken out of use: its tokens are none any more, and a new sign-in works.
  @Test func aPepperIsTakenOutOfUse() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let one = try daemon.signIn()
    #expect(try daemon.stop().status == 0)
    try daemon.admin("pepper", "retire", "2")
    try daemon.serve()
    #expect(try daemon.refresh(one.tokens.refresh_token).error == "invalid_grant")
    let two = try daemon.signIn()
    #expect(try daemon.refresh(two.tokens.refresh_token).status == 200)
    #expect(try !Daemon.lines(daemon.stop().log).contains { $0["level"] as? String == "alert" })
  }

  /// The key may be a credential of systemd's, which is readable by the one service (mode 0440).
  @Test func theKeyMayBeACredential() throws {
    let daemon = try Daemon()
    let credentials = daemon.sandbox("credentials")
    try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: daemon.sandbox("auth.key"), toPath: credentials + "/mfs-authd.key")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o440], ofItemAtPath: credentials + "/mfs-authd.key")
    let result = try run(
      ["mfs-authd", "--config", "config.yaml", "key", "list"], in: daemon.sandbox,
      environment: ["CREDENTIALS_DIRECTORY": credentials, "MFS_AUTHD_KEY_FILE": ""])
    #expect(result.status == 0 && result.text.contains("active"), "\(result.errorText)")
  }
}
