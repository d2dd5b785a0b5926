import Foundation
import TestSupport
import Testing

/// A file that the service may not read: what is said of it names it, its owner and its mode, and the command that is said to mend
/// it does. No command is said that changes what is another user's.
@Suite struct UnreadableFileTests {
  private let daemon: Daemon
  private let user = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []

  init() throws {
    daemon = try Daemon()
    let made = try run(
      [
        "sh", "-ec",
        """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout tls.key -out cert.pem -days 2 -subj /CN=x
        echo 'MFS_AUTHD_TLS_CERTIFICATE: cert.pem' >> config.yaml
        echo 'MFS_AUTHD_TLS_KEY: tls.key' >> config.yaml
        chmod 600 tls.key
        """,
      ], in: daemon.sandbox)
    #expect(made.status == 0, "\(made.errorText)")
    guard !user.isEmpty else { return }
    // The service's user has all of it, and a way to the program.
    try FileManager.default.copyItem(
      atPath: Programs.buildFolder + "/mfs-authd", toPath: daemon.sandbox("mfs-authd"))
    #expect(try run(["chown", "-R", "65534:65534", daemon.sandbox.path], in: daemon.sandbox).status == 0)
  }

  private func service(_ words: [String]) throws -> RunResult {
    let program = user.isEmpty ? "mfs-authd" : daemon.sandbox("mfs-authd")
    return try run(user + [program, "--config", "config.yaml"] + words, in: daemon.sandbox)
  }

  private func shell(_ script: String) throws {
    let result = try run(["sh", "-ec", script], in: daemon.sandbox)
    #expect(result.status == 0, "\(script): \(result.errorText)")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    let words: [String]
    var testDescription: String { file }
  }

  static let cases = [
    Case(file: "config.yaml", words: ["config", "check"]), Case(file: "auth.key", words: ["key", "list"]),
    Case(file: "tls.key", words: ["serve"]), Case(file: "cert.pem", words: ["serve"]),
    Case(file: "data", words: ["user", "list"]),
  ]

  @Test(arguments: cases) func whatIsSaidMendsIt(one: Case) throws {
    if one.words != ["serve"] { #expect(try service(one.words).status == 0) }
    try shell(
      user.isEmpty ? "chmod 000 \(one.file)" : "chown -R root:root \(one.file); chmod o= \(one.file)")
    let refused = try service(one.words)
    #expect(refused.status == 41, "\(refused.errorText)")
    let owner = user.isEmpty ? NSUserName() : "root"
    #expect(refused.errorText.contains("\(one.file) belongs to \(owner):"), "\(refused.errorText)")
    #expect(refused.errorText.contains("(mode "), "\(refused.errorText)")
    guard user.isEmpty else {
      #expect(refused.errorText.hasSuffix("run this as a user who may\n"), "\(refused.errorText)")
      try shell("chgrp -R daemon \(one.file); chmod g+rx \(one.file)")
      let other = try service(one.words)
      #expect(other.errorText.contains(": run this as a user of the group daemon"), "\(other.errorText)")
      for word in ["chown", "chgrp", "chmod"] {
        #expect(!refused.errorText.contains(word) && !other.errorText.contains(word), "\(other.errorText)")
      }
      return
    }
    let command = refused.errorText.components(separatedBy: ": ").last ?? ""
    #expect(command.hasPrefix("ch"), "\(refused.errorText)")
    try shell(command)
    let then = try service(one.words == ["serve"] ? ["config", "check"] : one.words)
    #expect(then.status == 0, "\(then.errorText)")
  }

  /// `runuser` leaves the service's user in the folder that root was in.
  @Test(.enabled(if: geteuid() == 0, "another user is needed")) func aFolderThatOneMayNotBeInIsNamed() throws {
    try shell("mkdir -m 700 shut; touch shut/c.yaml")
    let refused = try run(
      ["env", "-C", "shut"] + user + [daemon.sandbox("mfs-authd"), "--config", "c.yaml", "config", "check"],
      in: daemon.sandbox)
    #expect(refused.status == 41, "\(refused.errorText)")
    #expect(refused.errorText.contains("/shut belongs to root:"), "\(refused.errorText)")
    #expect(refused.errorText.hasSuffix(", or from another folder\n"), "\(refused.errorText)")
  }

  /// Root does not work on the service's database; the way is said.
  @Test(.enabled(if: geteuid() == 0, "another user is needed")) func whoseDatabaseItIsIsSaid() throws {
    let refused = try daemon.admin("user", "list", status: 40)
    #expect(refused.errorText.contains("'sudo -u nobody'"), "\(refused.errorText)")
    try shell("chown root data")
    #expect(try daemon.admin("user", "list", status: 40).errorText.contains("'sudo -u nobody'") == false)
    let other = try service(["user", "list"])
    #expect(other.status == 41 && other.errorText.contains("the folder data belongs to root:"), "\(other.errorText)")
  }
}
