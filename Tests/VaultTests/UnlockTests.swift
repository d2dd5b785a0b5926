import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import Vault

@Suite struct UnlockTests {
  /// A vault whose passphrase is `open sesame please`, with the cheapest cost that is legal.
  private func made() throws -> TestVault {
    let vault = try TestVault()
    let secret = UnlockSecret.passphrase(try box(Array("open sesame please".utf8)))
    try vault.store.create(
      VaultCreation(kdf: PassphraseKDF(operations: 1, kibibytes: 8_192)) { () throws(Failure) in secret })
    try vault.sandbox.write("pass", "open sesame please\n", mode: 0o600)
    try vault.sandbox.write("wrong", "open barley please\n", mode: 0o600)
    return vault
  }

  private func shell(_ vault: TestVault, _ line: String, _ environment: [String: String] = [:]) throws -> RunResult {
    try run(["sh", "-c", line], in: vault.sandbox, environment: environment)
  }

  @Test func everyWayToGiveAPassphraseWorks() throws {
    let vault = try made()
    for line in [
      "mfsctl vault list --passphrase-file pass", "mfsctl vault list --passphrase-fd 7 7<pass",
      "mfsctl vault list --passphrase-fd 0 <pass", "mfsctl vault list --passphrase-command 'cat pass'",
      "printf 'open sesame please' | mfsctl vault list --passphrase-fd 0",
      "printf 'open sesame please\\r\\n' | mfsctl vault list --passphrase-fd 0",
      "mkfifo f; cat pass >f & mfsctl vault list --passphrase-file f",
    ] {
      let result = try shell(vault, line)
      #expect(result.status == 0, "\(line): \(result.errorText)")
    }
    // One line end is dropped, not two.
    #expect(try shell(vault, "(cat pass; echo) | mfsctl vault list --passphrase-fd 0").status == 22)
  }

  /// What is given and does not work is an error with its own code; no other way is tried.
  @Test func theFirstWayGivenIsTheOnlyOneTried() throws {
    let vault = try made()
    let good = ["MFSCTL_VAULT_KEY_FILE": vault.keyFile]
    let cases: [(String, Int32)] = [
      ("mfsctl vault list --passphrase-file wrong", 22), ("mfsctl vault list --passphrase-file missing", 21),
      ("mfsctl vault list --key-file missing --passphrase-file pass", 21),
      ("mfsctl vault list --key-file key --passphrase-file pass", 22),
      ("mfsctl vault list --passphrase-fd 9", 2), ("mfsctl vault list --passphrase-fd 9 --passphrase-file pass", 2),
      ("mfsctl vault list --passphrase-command 'exit 3'", 21),
      ("mfsctl vault list --passphrase-command 'cat pass; exit 3'", 21),
      ("mfsctl vault list --passphrase-command 'kill -9 $$'", 21), ("mfsctl vault list --passphrase-command true", 22),
      ("mfsctl vault list --passphrase-file wrong --passphrase-command 'cat pass'", 22),
      ("mfsctl vault list --passphrase-file .", 2),
      ("head -c 70000 /dev/zero | mfsctl vault list --passphrase-fd 0", 2),
    ]
    for (line, status) in cases {
      let result = try shell(vault, line, good)
      #expect(result.status == status, "\(line): \(result.status) \(result.errorText)")
    }
  }

  @Test func aSecretThatOthersCanReadIsRefused() throws {
    let vault = try made()
    chmod(vault.sandbox("pass"), 0o640)
    #expect(try shell(vault, "mfsctl vault list --passphrase-file pass").status == 40)
    chmod(vault.keyFile, 0o644)
    #expect(try shell(vault, "mfsctl vault list --key-file key").status == 40)
    for size in [0, 31, 33] {
      try Data(count: size).write(to: URL(fileURLWithPath: vault.keyFile))
      chmod(vault.keyFile, 0o600)
      #expect(try shell(vault, "mfsctl vault list --key-file key").status == 22, "\(size) bytes")
    }
  }

  @Test func theOrderIsTheDocumentedOne() throws {
    let vault = try TestVault()
    try vault.sandbox.write("credentials/mfsctl.vault-key", "x", mode: 0o400)
    let both = Environment([
      "CREDENTIALS_DIRECTORY": vault.sandbox("credentials"), "MFSCTL_VAULT_KEY_FILE": "/env",
    ])
    var options = UnlockOptions()
    #expect(try options.way(Environment([:])) == nil)
    #expect(try options.way(Environment(["MFSCTL_VAULT_KEY_FILE": "/env"])) == .keyFile("/env"))
    options.passphraseCommand = "c"
    #expect(try options.way(Environment(["MFSCTL_VAULT_KEY_FILE": "/env"])) == .command("c"))
    #expect(try options.way(both) == .credential(vault.sandbox("credentials/mfsctl.vault-key")))
    options.passphraseFile = "f"
    #expect(try options.way(both) == .passphraseFile("f"))
    options.passphraseDescriptor = 5
    #expect(try options.way(both) == .descriptor(5))
    options.keyFile = "k"
    #expect(try options.way(both) == .keyFile("k"))
    #expect(try UnlockOptions().way(Environment(["CREDENTIALS_DIRECTORY": "/nowhere"])) == nil)
  }

  @Test func aSystemdCredentialOpensTheVault() throws {
    let vault = try TestVault()
    try vault.create()
    let path = try vault.sandbox.write("credentials/mfsctl.vault-key", "", mode: 0o600)
    try Data(FormatWriter.keyFile).write(to: URL(fileURLWithPath: path))
    let environment = ["CREDENTIALS_DIRECTORY": vault.sandbox("credentials")]
    for (mode, status) in [(0o400, 0), (0o440, 0), (0o404, 40), (0o460, 40)] as [(mode_t, Int32)] {
      chmod(path, mode)
      #expect(try shell(vault, "mfsctl vault list", environment).status == status, "mode \(mode)")
    }
  }

  @Test func withoutATerminalItSaysAtOnceWhatToGive() throws {
    let vault = try made()
    let start = Date()
    for command in ["list", "get auth.sessionId", "set auth.sessionId", "logout", "dbkey create main"] {
      let result = try shell(vault, "mfsctl vault \(command)")
      #expect(result.status == 21, "\(command): \(result.errorText)")
      for way in [
        "--key-file", "--passphrase-fd", "--passphrase-file", "--passphrase-command", "MFSCTL_VAULT_KEY_FILE",
      ] {
        #expect(result.errorText.contains(way))
      }
    }
    #expect(Date().timeIntervalSince(start) < 10)
    let fresh = try TestVault()
    #expect(try shell(fresh, "mfsctl vault init").status == 21)
    #expect(try fresh.store.status().initialised == false)
    #expect(try ProfileSettings.load(fresh.request) == nil)
  }

  /// Where the file system has no files without a name, or there is no /proc to name one by.
  @Test(arguments: ["openat:error=EOPNOTSUPP:when=", "linkat:error=ENOENT:when="])
  func aKeyFileIsMadeOnAnyFileSystem(fault: String) throws {
    let vault = try TestVault()
    let make = "strace -qq -o trace -e trace=openat,linkat"
    // Which of the opens is the one without a name.
    #expect(try shell(vault, "\(make) mfsctl vault init --generate --key-file a; rm -r home").status == 0)
    let calls = try String(contentsOfFile: vault.sandbox("trace"), encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix(fault.prefix(6)) }
    let number = 1 + (try #require(calls.firstIndex { $0.contains("O_TMPFILE") || $0.contains("/proc/self/fd") }))
    let result = try shell(vault, "\(make) -e inject=\(fault)\(number) mfsctl vault init --generate --key-file b")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try String(contentsOfFile: vault.sandbox("trace"), encoding: .utf8).contains("(INJECTED)"))
    #expect(try FileManager.default.attributesOfItem(atPath: vault.sandbox("b"))[.posixPermissions] as? Int == 0o600)
    #expect(try shell(vault, "mfsctl vault list --key-file b").status == 0)
  }

  @Test func generatingAKeyFileNeverReplacesOne() throws {
    let vault = try TestVault()
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.keyFile))
    #expect(try shell(vault, "mfsctl vault init --generate --key-file key").status == 11)
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault.keyFile)) == before)
    #expect(!Files.exists(vault.file))
    #expect(try shell(vault, "mfsctl vault init --generate").status == 2)
    #expect(try shell(vault, "mfsctl vault init --generate --key-file new").status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault.sandbox("new"))).count == 32)
    // A key file for a vault that cannot be made is not left behind.
    #expect(try shell(vault, "mfsctl vault init --generate --key-file other").status == 11)
    #expect(!Files.exists(vault.sandbox("other")))
    let blocked = try TestVault()
    try blocked.sandbox.write("home/data/vault", "a file in the place of the folder")
    #expect(try shell(blocked, "mfsctl vault init --generate --key-file new").status == 40)
    #expect(!Files.exists(blocked.sandbox("new")))
  }

  @Test func theCostIsRaisedAndNeverLowered() throws {
    let measured = try PassphraseKDF.calibrated(milliseconds: 1)
    #expect(measured == .standard)
    func cost(_ milliseconds: Int, _ standardTime: Double, _ free: UInt64) throws -> PassphraseKDF {
      let kdf = PassphraseKDF.calibrated(milliseconds: milliseconds, standardTime: standardTime, free: free)
      try kdf.check()
      return kdf
    }
    let (passes, memory) = (PassphraseKDF.standard.operations, PassphraseKDF.standard.kibibytes)
    // A machine that is too slow for more, or has no more memory.
    #expect(try cost(1_000, 5_000, 64 << 30) == .standard)
    #expect(try cost(1_000, 1_000, 64 << 30) == .standard)
    #expect(try cost(1_000, 250, 0) == PassphraseKDF(operations: passes * 4, kibibytes: memory))
    // Memory first, then passes.
    #expect(try cost(1_000, 250, 64 << 30) == PassphraseKDF(operations: passes, kibibytes: memory * 4))
    #expect(try cost(1_500, 250, 64 << 30) == PassphraseKDF(operations: passes * 3 / 2, kibibytes: memory * 4))
    #expect(try cost(100_000, 100, 64 << 30).kibibytes == 1 << 20)
    #expect(try cost(.max, 0, .max).kibibytes == 1 << 20)
  }

  @Test func theMemoryThatIsFreeIsKnown() throws {
    let free = try #require(MemoryBudget.available())
    #expect(free > 64 << 20 && free < 1 << 50)
  }
}
