import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// What a write leaves behind when it is stopped anywhere, or when the disk says no. The real program runs under strace,
/// which kills it, or fails a call, at a chosen point.
@Suite struct CrashTests {
  private func made() throws -> TestVault {
    let vault = try TestVault()
    try vault.create()
    try vault.set("auth.sessionId", "old")
    try vault.set("mfs.deviceId", "kept")
    return vault
  }

  private func strace(_ vault: TestVault, _ options: [String], _ command: [String]) throws -> RunResult {
    // The program itself, not a shell: every call counted is its own. A test runs on a thread that blocks signals, which
    // a child would inherit.
    let unblock =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execvp(sys.argv[1], sys.argv[1:])"
    return try run(
      ["python3", "-c", unblock, "strace", "-f", "-qq", "-o", vault.sandbox("trace")] + options + ["mfsctl", "vault"]
        + command, in: vault.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile], input: Data("new".utf8))
  }

  /// The calls of one run, by name, with how often each was made.
  private func calls(_ vault: TestVault, _ command: [String]) throws -> [String: Int] {
    let result = try strace(vault, [], command)
    try #require(result.status == 0, "strace or mfsctl failed: \(result.errorText)")
    var counts: [String: Int] = [:]
    for line in try String(contentsOfFile: vault.sandbox("trace"), encoding: .utf8).split(separator: "\n") {
      let call = line.drop { $0.isNumber || $0 == " " }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if line.contains("("), !call.isEmpty, !["execve", "exit_group"].contains(call) {
        counts[String(call), default: 0] += 1
      }
    }
    return counts
  }

  /// Who types as soon as the question stands there is neither shown on the screen nor unheard.
  @Test func theEchoIsOffBeforeThePassphraseIsAskedFor() throws {
    let slot = FormatWriter.Slot.passphrase("x", passes: 1, kibibytes: 8_192)
    let vault = try TestVault(file: FormatWriter(slots: [slot], entries: []).file())
    // A terminal of its own, on which waiting for an answer fails.
    let asked =
      "strace -qq -o trace -e trace=ioctl,write,poll,ppoll -e inject=poll,ppoll:error=EIO mfsctl vault list"
    let result = try run(["script", "-qec", asked, "/dev/null"], in: vault.sandbox)
    let trace = try String(contentsOfFile: vault.sandbox("trace"), encoding: .utf8)
    // Only root's strace can read what a hardened program writes; others see how much it is.
    let text = geteuid() == 0 ? #""Passphrase of the vault: ""# : ", 25)"
    let question = try #require(trace.range(of: text), "\(result.text)\(trace)")
    let quiet = try #require(trace.range(of: "TCSETSF"), "\(trace)")
    #expect(quiet.lowerBound < question.lowerBound)
  }

  private func killEverywhere(_ command: [String], _ check: (TestVault, String) throws -> Void) throws -> Int {
    let vault = try made()
    let before = try vault.bytes()
    let counts = try calls(vault, command)
    try #require(counts["fsync"] == 2 && counts["renameat"] ?? counts["rename"] != nil, "\(counts)")
    var kills = 0
    for (call, count) in counts {
      for number in 1...count {
        for name in try vault.names() where name != "default.lock" {
          try FileManager.default.removeItem(atPath: "\(vault.folder)/\(name)")
        }
        try vault.place(before)
        let result = try strace(vault, ["-e", "inject=\(call):signal=KILL:when=\(number)"], command)
        if result.status == 137 { kills += 1 }
        try check(vault, "killed at \(call) number \(number) (status \(result.status))")
        // The lock died with its holder, and what was left behind does not stand in the way.
        try vault.set("auth.employeeId", "next")
        #expect(try vault.values()["auth.employeeId"] == Array("next".utf8))
      }
    }
    return kills
  }

  @Test func aWriteKilledAtAnyCallLeavesTheOldVaultOrTheNew() throws {
    var seen: Set<String> = []
    let kills = try killEverywhere(["set", "auth.sessionId"]) { vault, place in
      let value = String(decoding: try #require(try vault.values()["auth.sessionId"], "\(place)"), as: UTF8.self)
      #expect(["old", "new"].contains(value), "\(place): \(value)")
      seen.insert(value)
    }
    #expect(kills > 100)
    #expect(seen == ["old", "new"])
  }

  @Test(arguments: [(["logout"], ["mfs.deviceId"]), (["logout", "--wipe"], [])])
  func aLogoutKilledAtAnyCallIsWholeOrNotThere(command: [String], kept: [String]) throws {
    let kills = try killEverywhere(command) { vault, place in
      let names = try vault.values().keys.sorted()
      #expect(names == ["auth.sessionId", "mfs.deviceId"] || names == kept, "\(place): \(names)")
    }
    #expect(kills > 100)
  }

  @Test(arguments: [
    ("fallocate", "ENOSPC", 1), ("write", "ENOSPC", 1), ("write", "EIO", 1), ("fsync", "EIO", 1), ("fchmod", "EIO", 1),
    ("renameat", "EIO", 1), ("renameat", "ENOSPC", 1), ("lseek", "EIO", 1), ("flock", "ENOLCK", 1),
  ]) func aDiskThatFailsKeepsTheOldVault(call: String, error: String, number: Int) throws {
    let vault = try made()
    let before = try vault.bytes()
    let result = try strace(
      vault, ["-e", "inject=\(call):error=\(error):when=\(number)"], ["set", "auth.sessionId"])
    #expect(result.status == 41, "\(call) \(error): \(result.errorText)")
    #expect(try vault.bytes() == before)
    #expect(try vault.names() == ["default.lock", "default.mfsv"])
  }

  @Test func aFolderThatIsNotConfirmedIsSaid() throws {
    let vault = try made()
    let result = try strace(vault, ["-e", "inject=fsync:error=EIO:when=2"], ["set", "auth.sessionId"])
    #expect(result.status == 50)
    #expect(try vault.values()["auth.sessionId"] == Array("new".utf8))
  }

  /// Interrupted calls are made again.
  @Test(arguments: ["write", "read", "openat", "flock"]) func anInterruptedCallIsMadeAgain(call: String) throws {
    let vault = try made()
    // Reads of the start-up are not ours; the vault's are.
    let path = call == "read" ? ["-P", vault.file] : []
    let number = call == "openat" ? try openNumber(vault) : 1
    let result = try strace(
      vault, path + ["-e", "inject=\(call):error=EINTR:when=\(number)"], ["set", "auth.sessionId"])
    #expect(result.status == 0, "\(call): \(result.errorText)")
    #expect(try vault.values()["auth.sessionId"] == Array("new".utf8))
  }

  /// Which of the opens of one run is the vault file's first.
  private func openNumber(_ vault: TestVault) throws -> Int {
    _ = try strace(vault, ["-e", "trace=openat"], ["list"])
    let lines = try String(contentsOfFile: vault.sandbox("trace"), encoding: .utf8).split(separator: "\n")
    return 1 + (try #require(lines.firstIndex { $0.contains("openat(") && !$0.contains("AT_FDCWD") }))
  }

  /// A stop that comes in the middle of a commit waits for its end: the change is whole, and then the program stops.
  @Test(arguments: ["TERM", "INT", "HUP"]) func aStopDuringTheCommitWaits(signal: String) throws {
    let vault = try made()
    let result = try strace(vault, ["-e", "inject=fallocate:signal=\(signal):when=1"], ["set", "auth.sessionId"])
    #expect(result.status > 128, "\(result.status)")
    #expect(try vault.values()["auth.sessionId"] == Array("new".utf8))
    #expect(try vault.names() == ["default.lock", "default.mfsv"])
  }

  /// The limit on file sizes behaves as a full disk does, and its signal kills nobody.
  @Test func aFileSizeLimitIsAFullDisk() throws {
    let vault = try made()
    let before = try vault.bytes()
    let result = try run(
      ["sh", "-c", "ulimit -f 0; exec mfsctl vault delete auth.sessionId >/dev/null 2>&1"], in: vault.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile])
    #expect(result.status == 41)
    #expect(try vault.bytes() == before)
    #expect(try vault.names() == ["default.lock", "default.mfsv"])
  }

  @Test func aFolderThatCannotBeWrittenKeepsTheOldVault() throws {
    let vault = try made()
    try FileManager.default.removeItem(atPath: vault.folder + "/default.lock")
    // Root writes where it may not; so the program runs as nobody, from a place that nobody can reach.
    chmod(vault.sandbox.path, 0o755)
    try FileManager.default.copyItem(atPath: Programs.buildFolder + "/mfsctl", toPath: vault.sandbox("mfsctl"))
    let shell = "chmod 500 \(vault.folder); "
    var command = ["\(vault.sandbox("mfsctl"))", "vault", "set", "auth.sessionId"]
    if geteuid() == 0 {
      _ = try run(["chown", "-R", "65534:65534", vault.sandbox("home"), vault.keyFile], in: vault.sandbox)
      command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command
    }
    _ = try run(["sh", "-c", shell], in: vault.sandbox)
    let result = try run(
      command, in: vault.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile], input: Data("new".utf8))
    #expect(result.status == 41, "\(result.errorText)")
    _ = try run(["chown", "-R", "\(geteuid())", vault.sandbox("home"), vault.keyFile], in: vault.sandbox)
    chmod(vault.folder, 0o700)
    #expect(try vault.values()["auth.sessionId"] == Array("old".utf8))
    #expect(try vault.names() == ["default.mfsv"])
  }
}
