import Foundation
import TestSupport
import Testing

/// Phones that attest, at the server as a process: the roots and keys come from the files of its configuration. A program of our own plays
/// the phones and their platforms.
@Suite struct AttestingTests {
  private let phone: PythonServer
  private let head: [String: Any]

  init() throws {
    let tests = Programs.checkout + "/Tests"
    phone = try PythonServer(
      script: tests + "/AuthBackendTests/Resources/phone.py",
      arguments: [tests + "/DeviceAttestationTests/Resources", "now"], interpreter: PythonEnvironment().interpreter)
    let answer = try run(
      ["curl", "--silent", "--max-time", "10", "--data", "{}", "http://127.0.0.1:\(phone.port)/head"], in: Sandbox())
    head = try #require(try JSONSerialization.jsonObject(with: answer.output) as? [String: Any])
  }

  private func text(_ name: String) throws -> String { try #require(head[name] as? String) }

  /// A server whose client requires attestations of the phone's app.
  private func daemon(_ settings: [String]) throws -> Daemon {
    let daemon = try Daemon(settings)
    try daemon.admin(
      "client", "add", "mobile", "--replace", "--redirect-uri", "com.example.app:/oauth/callback", "--attestation",
      "require", "--property", "apple-app-id=" + text("app"), "--property", "android-package=" + text("package"),
      "--property", "android-sha256-fingerprints=" + text("fingerprint"))
    try daemon.sandbox.write("roots.pem", text("root"))
    try daemon.sandbox.write("play/\(text("package")).decryption-key", text("secret") + "\n", mode: 0o600)
    try daemon.sandbox.write("play/\(text("package")).verification-key", text("verification") + "\n")
    return daemon
  }

  private func attest(_ daemon: Daemon) throws -> [String: [String: Any]] {
    let seen = try daemon.app(
      "attest", daemon.origin, Daemon.user, "password", "http://127.0.0.1:\(phone.port)")
    return try #require(seen as? [String: [String: Any]])
  }

  private func refusals(_ log: String) throws -> [String] {
    try Daemon.lines(log).filter { $0["event"] as? String == "attestation.refused" }
      .compactMap { $0["reason"] as? String }
  }

  @Test func phonesAreVerifiedByTheFilesOfTheConfiguration() throws {
    let daemon = try daemon([
      "MFS_AUTHD_APP_ATTEST_ROOTS: roots.pem", "MFS_AUTHD_PLAY_INTEGRITY_FOLDER: play",
      "MFS_AUTHD_PLAY_INTEGRITY_PACKAGES: [\(text("package"))]",
    ])
    #expect(try daemon.admin("config", "check").errorText.contains("nothing is wrong"))
    try daemon.serve()
    let seen = try attest(daemon)
    for name in ["key", "assertion", "next assertion", "token"] {
      #expect(seen[name]?["status"] as? Int == 200, "\(name): \(seen)")
    }
    for name in ["nothing", "no assertion", "counter again"] {
      #expect(seen[name]?["error"] as? String == "invalid_grant", "\(name): \(seen)")
    }
    let devices = try daemon.admin("device", "list").text
    #expect(devices.contains("phone-1") && devices.contains("apple-app-attest: asserted"))
    #expect(devices.contains("phone-2") && devices.contains("play-integrity: MEETS_DEVICE_INTEGRITY"))
    let (status, log) = try daemon.stop()
    #expect(status == 0)
    #expect(try refusals(log) == ["missing", "missing", "counter-not-rising"])
    #expect(try !log.contains(text("secret")))
    let ready = try #require(try Daemon.lines(log).first { $0["event"] as? String == "attestation.ready" })
    #expect(ready["appAttestRoots"] as? String == "file")
    #expect(try ready["playIntegrity"] as? [String] == [text("package")])
  }

  /// Where nobody attests and nothing is set, nothing is said of it.
  @Test func unusedItIsNotSpokenOf() throws {
    let daemon = try Daemon()
    try daemon.serve()
    #expect(try !daemon.stop().log.contains("attestation.ready"))
  }

  /// Nobody but Apple attests a phone, and no token is opened, where nothing is set.
  @Test func withoutFilesOnlyApplesRootCounts() throws {
    let daemon = try daemon([])
    try daemon.serve()
    let seen = try attest(daemon)
    for name in ["nothing", "key", "token"] {
      #expect(seen[name]?["error"] as? String == "invalid_grant", "\(name): \(seen)")
    }
    let log = try daemon.stop().log
    #expect(try refusals(log) == ["missing", "untrusted-root", "not-configured"])
    #expect(log.contains("\"appAttestRoots\":\"apple\",\"playIntegrity\":[]"))
  }

  @Test func aServerWithFilesThatWillNotDoSaysWhich() throws {
    let daemon = try daemon([
      "MFS_AUTHD_APP_ATTEST_ROOTS: roots.pem", "MFS_AUTHD_PLAY_INTEGRITY_FOLDER: play",
      "MFS_AUTHD_PLAY_INTEGRITY_PACKAGES: [\(text("package")), com.example.other]",
    ])
    let key = try "play/\(text("package")).decryption-key"
    try daemon.sandbox.write("play/com.example.other.decryption-key", text("secret"), mode: 0o600)
    try daemon.sandbox.write("play/com.example.other.verification-key", text("verification"))
    // One is spoilt at a time; each keeps the server from starting and is found by the check.
    func refuses(_ words: String, status: Int32, _ spoil: () throws -> Void, _ mend: () throws -> Void) throws {
      try spoil()
      let check = try daemon.admin("config", "check", status: 1).text
      #expect(check.contains("error: MFS_AUTHD_") && check.contains(words), "\(check)")
      #expect(check.split(separator: "\n").count { $0.contains("error: ") } == 1)
      let start = try daemon.admin("serve", status: status)
      #expect(start.errorText.contains(words) && start.text.isEmpty, "\(start.errorText)")
      #expect(try !(check + start.errorText).contains(text("secret")))
      try mend()
      #expect(try daemon.admin("config", "check").errorText.contains("nothing is wrong"))
    }
    let mended: () throws -> Void = { try daemon.sandbox.write(key, self.text("secret"), mode: 0o600) }
    try refuses(
      "others can get at the decryption key", status: 40,
      {
        try daemon.sandbox.write(key, text("secret"), mode: 0o640)
      }, mended)
    try refuses(
      "is not 32 bytes in base64", status: 3,
      {
        try daemon.sandbox.write(key, String(text("secret").dropFirst(4)), mode: 0o600)
      }, mended)
    try refuses(
      "com.example.other.verification-key", status: 10,
      {
        try FileManager.default.removeItem(atPath: daemon.sandbox("play/com.example.other.verification-key"))
      }, { try daemon.sandbox.write("play/com.example.other.verification-key", text("verification")) })
    try refuses(
      "is not base64", status: 3,
      {
        try daemon.sandbox.write("play/com.example.other.verification-key", "-----")
      }, { try daemon.sandbox.write("play/com.example.other.verification-key", text("verification")) })
    try refuses(
      "root certificates can be read", status: 3,
      {
        try daemon.sandbox.write("roots.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
      }, { try daemon.sandbox.write("roots.pem", text("root")) })
    try refuses(
      "roots.pem", status: 10,
      {
        try FileManager.default.removeItem(atPath: daemon.sandbox("roots.pem"))
      }, { try daemon.sandbox.write("roots.pem", text("root")) })
    // Commands that verify nothing do not need the files.
    try FileManager.default.removeItem(atPath: daemon.sandbox("roots.pem"))
    try daemon.admin("user", "list")
  }
}
