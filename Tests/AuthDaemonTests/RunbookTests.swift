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
    try daemon.admin("backup", "copies/auth.db")
    let next = try daemon.refresh(one.tokens.refresh_token)
    #expect(next.status == 200)
    #expect(try daemon.stop().status == 0)
    #expect(try daemon.admin("after-restore", "--json", database: "copies/auth.db").text == "{\"ended\":2}\n")
    try daemon.serve(database: "copies/auth.db")
    // Newer than the backup, as old as it, and older.
    for token in [next.next ?? "", one.tokens.refresh_token, two.tokens.refresh_token] {
      #expect(try daemon.refresh(token).error == "invalid_grant")
    }
    _ = try daemon.signIn()
    let audit = try daemon.admin("audit", "show", database: "copies/auth.db").text
    #expect(audit.components(separatedBy: "store.restored").count == 2)
    let log = try Daemon.lines(daemon.stop().log)
    #expect(!log.contains { $0["level"] as? String == "alert" })
    #expect(log.contains { $0["reason"] as? String == "ended" })
  }

  /// Copies that are taken while apps refresh without a pause are whole: each is a state that there was.
  @Test func aBackupUnderLoadIsWhole() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let load = try Background(
      ["/usr/bin/python3", Daemon.peer("app.py"), "load", daemon.origin, Daemon.user, "password", "8", "report.json"],
      in: daemon.sandbox)
    #expect(load.text { $0.contains("ready") }.contains("ready"), "\(load.errorText)")
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
