import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Secrets that are planted, and looked for in a process that has all of them in hand. SaidTests looks at what is printed and
/// left behind.
@Suite struct CanaryTests {
  private static let value = "canary-value-7f3a9c51"
  private static let passphrase = "canary-passphrase-b1c2d3"

  /// A `mfsctl vault set` that has read its passphrase and its value, and waits for the lock that the test holds.
  private func waiting<R>(program: String = "mfsctl", _ body: (TestVault, Int32) throws -> R) throws -> R {
    let vault = try TestVault()
    let passphrase = UnlockSecret.passphrase(try box(Array(CanaryTests.passphrase.utf8)))
    try vault.store.create(
      VaultCreation(kdf: PassphraseKDF(operations: 1, kibibytes: 8_192)) { () throws(Failure) in passphrase })
    try vault.sandbox.write("pass", CanaryTests.passphrase, mode: 0o600)
    try vault.sandbox.write("value", CanaryTests.value, mode: 0o600)
    let lock = open(vault.folder + "/default.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    defer { close(lock) }
    let process = Process()
    // A test runs on a thread that blocks signals, which a child would inherit.
    let unblock =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c", unblock, Programs.buildFolder + "/\(program)", "vault", "set", "auth.password", "--passphrase-file", "pass",
      "--lock-timeout", "60", "--verbose",
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: vault.sandbox.path)
    // As a user starts it: the Swift runtime then catches crashes by default.
    process.environment = Programs.environment(in: vault.sandbox).filter { $0.key != "SWIFT_BACKTRACE" }
    let input = try #require(FileHandle(forReadingAtPath: vault.sandbox("value")))
    process.standardInput = input
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    // It holds the value once it sleeps on the lock: the lock file is then among its open files.
    let pid = process.processIdentifier
    let deadline = Date(timeIntervalSinceNow: 20)
    while Date() < deadline {
      // To anybody but root the kernel shows none of a hardened process's files. Then the value is known to be read when
      // the file it comes from, which is shared with us, stands at its end.
      if geteuid() != 0, lseek(input.fileDescriptor, 0, SEEK_CUR) == CanaryTests.value.utf8.count {
        return try body(vault, pid)
      }
      let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
      let files = open.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)")
      }
      if files.contains(where: { $0.hasSuffix("default.lock") }) { return try body(vault, pid) }
      usleep(2_000)
    }
    Issue.record("mfsctl did not come to the lock")
    return try body(vault, pid)
  }

  private func has(_ data: Data, _ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }

  @Test(arguments: ["mfsctl", "mfsctl-full"]) func nothingOfASecretIsInTheProcessTable(program: String) throws {
    try waiting(program: program) { _, pid in
      for name in ["cmdline", "environ", "comm", "status"] {
        if name == "environ", geteuid() != 0 {
          // Not even its own user may look.
          #expect(open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC) < 0)
          continue
        }
        let data = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/\(name)"))
        #expect(!data.isEmpty)
        #expect(!has(data, CanaryTests.value) && !has(data, CanaryTests.passphrase), "\(name)")
      }
      let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
      let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
  }

  /// Both programs tell the kernel, before they open the key, that nobody may trace or dump them.
  @Test(arguments: ["mfsctl", "mfsctl-full"]) func tracingIsForbiddenBeforeTheKeyIsRead(program: String) throws {
    let vault = try TestVault()
    try vault.create()
    let trace = vault.sandbox("trace")
    let result = try run(
      ["strace", "-f", "-qq", "-o", trace, "-e", "trace=prctl,openat,?open", program, "vault", "list"],
      in: vault.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": vault.keyFile])
    #expect(result.status == 0, "\(result.errorText)")
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let forbidden = try #require(calls.firstIndex { $0.contains("PR_SET_DUMPABLE, SUID_DUMP_DISABLE) = 0") })
    // From then on only root's strace can read what the program names.
    let opened = try #require(
      calls.firstIndex { $0.contains("\"\(vault.keyFile)\"") || (geteuid() != 0 && $0.contains("openat(AT_FDCWD, 0x")) }
    )
    #expect(forbidden < opened)
  }

  /// Every copy in memory lies in pages that are locked, kept out of dumps, and guarded: none in a heap, on a stack or
  /// in a buffer of a library.
  @Test(.enabled(if: geteuid() == 0, "only root can read the memory; ProcessTableTests holds that others cannot"))
  func secretsAreInGuardedMemoryOnly() throws {
    try waiting { _, pid in
      let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
      try #require(memory >= 0, "the memory cannot be read")
      defer { close(memory) }
      var guarded = 0
      let maps = try Mapping.all(pid)
      for map in maps where map.isReadable {
        var data = Data(count: Int(map.end - map.start))
        let got = data.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, off_t(map.start)) }
        data = data.prefix(max(got, 0))
        for secret in [CanaryTests.value, CanaryTests.passphrase] where has(data, secret) {
          #expect(map.isGuarded, "\(secret) is in \(map.name), flags \(map.flags)")
          if map.isGuarded { guarded += 1 }
        }
      }
      // The value and the passphrase are there, so the search can find what it looks for.
      #expect(guarded >= 2, "\(maps.map { "\($0.name) \($0.end - $0.start) \($0.isReadable) \($0.isGuarded)" })")
    }
  }

  /// Nothing catches a crash: the Swift runtime's own handler would print the memory that the registers point to.
  @Test(arguments: ["mfsctl", "mfsctl-full"]) func aCrashPrintsNoMemory(program: String) throws {
    try waiting(program: program) { _, pid in
      let status = String(decoding: try Files.read("/proc/\(pid)/status", limit: 1 << 16), as: UTF8.self)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
      let caught = try #require(UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
      for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
        #expect(caught & (1 << UInt64(crash - 1)) == 0, "signal \(crash) is caught")
      }
    }
  }

  @Test func aCrashLeavesNoCore() throws {
    try waiting { vault, pid in
      kill(pid, SIGABRT)
      let deadline = Date(timeIntervalSinceNow: 10)
      while kill(pid, 0) == 0, Date() < deadline,
        let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8), !status.contains(") Z ")
      { usleep(2_000) }
      let names = try FileManager.default.contentsOfDirectory(atPath: vault.sandbox.path)
      #expect(!names.contains { $0.hasPrefix("core") }, "\(names)")
    }
  }
}
