import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import Vault

/// Every command of the vault, looked at from outside while it has its secrets in hand: it waits to print into a pipe that
/// is full.
@Suite struct ProcessTableTests {
  private static let passphrase = "canary-passphrase-b1c2d3"
  private static let given = "canary-given-0d9e4b"
  private static let planted = ["auth.sessionId": "canary-session-51f0aa", "mfs.dbkey.main": "canary-dbkey-55aa19"]

  static let commands = [
    "init", "status", "list", "get auth.sessionId", "set auth.password", "delete auth.sessionId",
    "generate auth.password", "logout", "logout --dry-run", "logout --wipe", "logout --wipe --dry-run",
    "dbkey create other", "dbkey create other --show", "dbkey create other --raw32 --show", "dbkey show main",
    "dbkey delete main",
  ]

  private func made() throws -> TestVault {
    let vault = try TestVault()
    let passphrase = try box(Array(ProcessTableTests.passphrase.utf8))
    try vault.store.create(
      VaultCreation(kdf: PassphraseKDF(operations: 1, kibibytes: 8_192)) { () throws(Failure) in
        .passphrase(passphrase)
      })
    try vault.sandbox.write("pass", ProcessTableTests.passphrase, mode: 0o600)
    try vault.sandbox.write("given", ProcessTableTests.given, mode: 0o600)
    var unlock = UnlockOptions()
    unlock.passphraseFile = vault.sandbox("pass")
    let opened = TestVault(vault, unlock: unlock)
    try opened.store.open().update { contents throws(Failure) in
      for (name, value) in ProcessTableTests.planted {
        contents.set(try KeyName(name), try SecureBytes(publicText: value))
      }
    }
    return opened
  }

  /// Both ends of a pipe that takes nothing more.
  private func fullPipe() throws -> (read: FileHandle, write: FileHandle) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    let block = [UInt8](repeating: 0x2E, count: 4_096)
    while write(ends[1], block, block.count) > 0 {}
    try #require(errno == EAGAIN && fcntl(ends[1], F_SETFL, 0) == 0)
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  /// Starts a command and calls `body` once it waits for its reader; then kills it.
  private func waiting(_ vault: TestVault, _ command: [String], _ body: (Int32) throws -> Void) throws {
    let pipe = try fullPipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: vault.sandbox.path)
    process.environment = Programs.environment(in: vault.sandbox)
    process.standardInput = FileHandle(forReadingAtPath: vault.sandbox("given"))
    process.standardOutput = pipe.write
    process.standardError = pipe.write
    try process.run()
    let pid = process.processIdentifier
    defer {
      kill(pid, SIGKILL)
      process.waitUntilExit()
    }
    let deadline = Date(timeIntervalSinceNow: 20)
    var asleep = 0
    while asleep < 10 {
      try #require(Date() < deadline && process.isRunning, "\(command) did not come to print")
      usleep(2_000)
      // The call that it is in, for those who may know: write(1, ...) or write(2, ...).
      if let call = try? String(decoding: Files.read("/proc/\(pid)/syscall", limit: 256), as: UTF8.self), !call.isEmpty
      {
        if ["1 0x1 ", "1 0x2 ", "64 0x1 ", "64 0x2 "].contains(where: call.hasPrefix) { break }
      } else {
        // For others: it does nothing but sleep.
        let state = (try? String(decoding: Files.read("/proc/\(pid)/stat", limit: 1_024), as: UTF8.self)) ?? ""
        asleep = state.contains(") S ") ? asleep + 1 : 0
      }
    }
    try body(pid)
  }

  /// Calls `body` with a command that waits to print, and all the secrets that it has or has made.
  private func looking(_ command: String, _ program: String, _ body: (Int32, [[UInt8]]) throws -> Void) throws {
    let vault = try made()
    if command == "init" { try FileManager.default.removeItem(atPath: vault.file) }
    let words = ["--json", "vault"] + command.split(separator: " ").map(String.init) + ["--passphrase-file", "pass"]
    try waiting(vault, [Programs.buildFolder + "/" + program] + words) { pid in
      let line = String(decoding: try Files.read("/proc/\(pid)/cmdline", limit: 1 << 16), as: UTF8.self)
      #expect(line.hasSuffix("/\(program)\0" + words.joined(separator: "\0") + "\0"))
      // What was generated is a secret too.
      var secrets = [ProcessTableTests.passphrase, ProcessTableTests.given].map { Array($0.utf8) }
      secrets += ProcessTableTests.planted.values.map { Array($0.utf8) } + (try vault.values().values)
      try body(pid, secrets)
    }
  }

  private func search(_ data: Data, _ secrets: [[UInt8]], _ place: String) {
    for secret in secrets { #expect(data.range(of: Data(secret)) == nil, "a secret is in \(place)") }
  }

  @Test(arguments: commands, ["mfsctl", "mfsctl-full"])
  func nothingOfASecretIsInTheProcessTable(command: String, program: String) throws {
    try looking(command, program) { pid, secrets in
      for name in ["cmdline", "comm", "status", "stat"] {
        let data = Data(try Files.read("/proc/\(pid)/\(name)", limit: 1 << 16))
        #expect(data.range(of: Data("mfsctl".utf8)) != nil)
        search(data, secrets, name)
      }
      #expect(try Files.read("/proc/\(pid)/task/\(pid)/children", limit: 64).isEmpty, "it has children")
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can read these; theUserItselfMayNotLook holds that others cannot"),
    arguments: commands, ["mfsctl", "mfsctl-full"])
  func nothingOfASecretIsInTheEnvironmentOrInOpenMemory(command: String, program: String) throws {
    try looking(command, program) { pid, secrets in
      let environment = Data(try Files.read("/proc/\(pid)/environ", limit: 1 << 16))
      #expect(environment.range(of: Data("MFSCTL_HOME=".utf8)) != nil)
      search(environment, secrets, "environ")
      let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
      try #require(memory >= 0, "the memory cannot be read")
      defer { close(memory) }
      var guarded = 0
      for map in try Mapping.all(pid) where map.isReadable {
        var data = Data(count: Int(map.end - map.start))
        let got = data.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, off_t(map.start)) }
        data = data.prefix(max(got, 0))
        if map.isGuarded {
          guarded += secrets.count { data.range(of: Data($0)) != nil }
        } else {
          search(data, secrets, "\(map.name), flags \(map.flags)")
        }
      }
      // A value that is about to be printed is there, so the search can find what it looks for.
      if command.hasPrefix("get") || command == "dbkey show main" { #expect(guarded > 0) }
    }
  }

  /// The user that runs a command cannot look into it either. Root runs this as nobody.
  @Test func theUserItselfMayNotLook() throws {
    let vault = try made()
    chmod(vault.sandbox.path, 0o755)
    let program = vault.sandbox("mfsctl")
    try FileManager.default.copyItem(atPath: Programs.buildFolder + "/mfsctl", toPath: program)
    var user: [String] = []
    if geteuid() == 0 {
      _ = try run(["chown", "-R", "65534:65534", vault.sandbox("home"), vault.sandbox("pass")], in: vault.sandbox)
      user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }
    try waiting(vault, user + [program, "vault", "list", "--passphrase-file", "pass"]) { pid in
      let look =
        "cat /proc/\(pid)/cmdline >/dev/null || exit 9; "
        + "cat /proc/\(pid)/environ || head -c 1 /proc/\(pid)/mem || ls /proc/\(pid)/fd || cat /proc/\(pid)/maps"
      let result = try run(user + ["sh", "-c", look], in: vault.sandbox)
      #expect(result.status != 0 && result.status != 9 && result.output.isEmpty, "\(result.text)")
      #expect(result.errorText.components(separatedBy: "ermission denied").count == 5, "\(result.errorText)")
    }
  }
}
