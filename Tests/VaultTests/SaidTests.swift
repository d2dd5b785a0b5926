import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import Vault

/// Every command of the vault at every verbosity, with what it is given, with what is wrong, and with a vault that does
/// not open: nothing of a secret is in what it prints or in a file that it leaves, but in the sealed vault. A command
/// that is asked for a value prints that value on stdout, and nothing else anywhere.
@Suite struct SaidTests {
  /// A command line, how it ends on a vault that opens, and the name of the value that it may print.
  struct Command: CustomTestStringConvertible, Sendable {
    let words: [String]
    let status: Int32
    let reveals: String?
    var testDescription: String { "vault " + words.joined(separator: " ") }

    init(_ line: String, _ status: Int32 = 0, reveals: String? = nil) {
      (words, self.status, self.reveals) = (line.split(separator: " ").map(String.init), status, reveals)
    }
  }

  static let commands = [
    Command("init", 11), Command("init --generate --key-file made", 11), Command("status"), Command("list"),
    Command("get auth.sessionId", reveals: "auth.sessionId"), Command("get auth.idToken", 10),
    Command("get no.such.key", 2), Command("set auth.password"), Command("set auth.idToken"),
    Command("set auth.password --max-size 3", 2), Command("set auth.password --trim --expect-generation 99", 32),
    Command("set mfs.dbkey.main", 11), Command("set mfs.dbkey.main --replace"), Command("set no.such.key", 2),
    Command("set auth.password --from-file missing", 10), Command("set auth.password --from-fd 9", 2),
    Command("delete auth.sessionId auth.idToken"), Command("delete mfs.dbkey.main"), Command("delete no.such.key", 2),
    Command("generate auth.idToken"), Command("generate auth.password", 11),
    Command("generate auth.password --replace"), Command("logout"), Command("logout --dry-run"),
    Command("logout --expect-generation 99", 32), Command("logout --wipe"), Command("logout --wipe --dry-run"),
    Command("dbkey create other"), Command("dbkey create other --raw32"), Command("dbkey create main", 11),
    Command("dbkey create main --replace"), Command("dbkey create other --show", reveals: "mfs.dbkey.other"),
    Command("dbkey create other --raw32 --show", reveals: "mfs.dbkey.other"),
    Command("dbkey show main", reveals: "mfs.dbkey.main"), Command("dbkey show other", 10),
    Command("dbkey delete main"), Command("dbkey delete other"),
  ]
  static let verbosities = [
    [], ["--quiet"], ["--verbose"], ["--json"], ["--json", "--quiet"], ["--json", "--verbose"],
  ]

  private static let passphrase = "canary-passphrase-b1c2d3"
  private static let planted = [
    "auth.sessionId": "canary-session-51f0aa", "auth.password": "canary-password-7f3a9c",
    "mfs.dbkey.main": "canary-dbkey-55aa19",
  ]
  private static let given = "canary-given-0d9e4b\n"

  /// The ways to write a secret in which it is looked for. A shorter value than 16 bytes would be found by chance.
  private func forms(_ secret: [UInt8]) -> [Data] {
    let secret = Data(secret)
    let base64 = secret.base64EncodedString()
    let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let url = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    // The end of base64 hangs on what follows.
    return [secret] + [String(base64.prefix(20)), String(url.prefix(20)), hex, hex.uppercased()].map { Data($0.utf8) }
  }

  private func made() throws -> TestVault {
    let vault = try TestVault()
    let passphrase = try box(Array(SaidTests.passphrase.utf8))
    // The lowest cost that is legal.
    try vault.store.create(
      VaultCreation(kdf: PassphraseKDF(operations: 1, kibibytes: 8_192)) { () throws(Failure) in
        .passphrase(passphrase)
      })
    try vault.sandbox.write("pass", SaidTests.passphrase, mode: 0o600)
    try vault.sandbox.write("wrong", "canary-wrong-9c8b7a", mode: 0o600)
    var unlock = UnlockOptions()
    unlock.passphraseFile = vault.sandbox("pass")
    let opened = TestVault(vault, unlock: unlock)
    try opened.store.open().update { contents throws(Failure) in
      for (name, value) in SaidTests.planted { contents.set(try KeyName(name), try SecureBytes(publicText: value)) }
    }
    return opened
  }

  private func run(_ vault: TestVault, _ arguments: [String], unlock: String?) throws -> RunResult {
    let options = unlock.map { ["--passphrase-file", $0] } ?? []
    return try TestSupport.run(
      ["mfsctl"] + arguments + options, in: vault.sandbox, input: Data(SaidTests.given.utf8))
  }

  /// Looks for secrets everywhere but where they were put by this test.
  private func search(_ result: RunResult, _ vault: TestVault, _ secrets: [[UInt8]], shown: [UInt8]?, _ place: String)
    throws
  {
    var places = [("stderr", result.errors), ("stdout", result.output)]
    let files = try #require(FileManager.default.enumerator(atPath: vault.sandbox.path)?.allObjects as? [String])
    for file in files where !["pass", "wrong", "key"].contains(file) {
      if let data = FileManager.default.contents(atPath: vault.sandbox(file)) { places.append((file, data)) }
    }
    #expect(places.contains { $0.0 == "home/data/vault/default.mfsv" }, "\(place)")
    for (name, data) in places {
      for secret in secrets where !(name == "stdout" && secret == shown) {
        #expect(!forms(secret).contains { data.range(of: $0) != nil }, "\(place): a secret is in \(name)")
      }
    }
  }

  @Test(arguments: commands) func noSecretIsSaidOrLeftBehind(command: Command) throws {
    let vault = try made()
    let start = try vault.bytes()
    let fixed =
      [SaidTests.passphrase, "canary-wrong-9c8b7a", SaidTests.given.trimmingCharacters(in: .newlines)].map {
        Array($0.utf8)
      } + SaidTests.planted.values.map { Array($0.utf8) } + [FormatWriter.keyFile]
    for verbosity in SaidTests.verbosities {
      let arguments = verbosity + ["vault"] + command.words
      // What init would unlock with is what --key-file names.
      let pass = command.words.contains("--key-file") ? nil : "pass"
      try vault.place(start)
      let good = try run(vault, arguments, unlock: pass)
      #expect(good.status == command.status, "\(arguments): \(good.errorText)")
      // What the command made is a secret too.
      let values = try vault.values()
      let shown = command.reveals.flatMap { values[$0] }
      #expect((command.reveals == nil) == (shown == nil))
      try search(good, vault, fixed + Array(values.values), shown: shown, "\(arguments)")
      if let shown { #expect(forms(shown).contains { good.output.range(of: $0) != nil }, "\(arguments)") }

      // A wrong passphrase, no way to unlock, and a vault that is damaged.
      for (unlock, damage) in [("wrong", 0), (nil, 0), ("pass", 100)] as [(String?, Int)] {
        try vault.place(Array(start.dropLast(damage)))
        let bad = try run(vault, arguments, unlock: pass == nil ? nil : unlock)
        if !command.words.contains("--wipe"), ![2, 10, 11].contains(command.status), command.words != ["status"] {
          let expected: Set<Int32> = damage > 0 ? [30] : unlock == nil ? [21] : [22]
          #expect(expected.contains(bad.status), "\(arguments): \(bad.status) \(bad.errorText)")
        }
        if Files.exists(vault.file) { try search(bad, vault, fixed, shown: nil, "\(arguments)") }
        for secret in fixed {
          let said = forms(secret).contains { (bad.output + bad.errors).range(of: $0) != nil }
          #expect(!said, "\(arguments) with \(unlock ?? "nothing")")
        }
      }
    }
  }

  /// An init says nothing of the secret that it takes or makes.
  @Test(arguments: verbosities) func noSecretOfANewVaultIsSaid(verbosity: [String]) throws {
    for options in ["--passphrase-file pass", "--key-file key", "--generate --key-file made"] {
      let vault = try TestVault()
      try vault.sandbox.write("pass", SaidTests.passphrase, mode: 0o600)
      let words = options.split(separator: " ").map(String.init)
      let result = try TestSupport.run(["mfsctl"] + verbosity + ["vault", "init"] + words, in: vault.sandbox)
      #expect(result.status == 0, "\(result.errorText)")
      let key = try words.contains("made") ? Array(Data(contentsOf: URL(fileURLWithPath: vault.sandbox("made")))) : []
      let secrets = [Array(SaidTests.passphrase.utf8), FormatWriter.keyFile] + (key.isEmpty ? [] : [key])
      try FileManager.default.moveItem(atPath: vault.sandbox(words.last ?? ""), toPath: vault.sandbox.path + ".secret")
      defer { try? FileManager.default.removeItem(atPath: vault.sandbox.path + ".secret") }
      try search(result, vault, secrets, shown: nil, "\(verbosity) \(options)")
    }
  }

  /// The tables above have every command and every verbosity that the reference has.
  @Test func nothingIsLeftOut() throws {
    let reference = try TestSupport.run(["mfsctl", "help", "reference"], in: Sandbox()).text
    let titles = reference.split(separator: "\n").filter { $0.hasPrefix("##") && $0.contains("# mfsctl vault ") }
      .map { $0.drop { $0 == "#" }.dropFirst(" mfsctl vault ".count) }
    let leaves = titles.filter { title in !titles.contains { $0.hasPrefix(title + " ") } }.map(String.init)
    #expect(leaves.count >= 11)
    for leaf in leaves {
      #expect(SaidTests.commands.contains { $0.words.joined(separator: " ").hasPrefix(leaf) }, "\(leaf)")
    }
    let everywhere = try #require(
      reference.components(separatedBy: "## Everywhere").last?.components(separatedBy: "## ").first)
    let options = everywhere.split(separator: "\n").filter { $0.hasPrefix("| `--") }.map {
      String($0.dropFirst(3).prefix { $0.isLetter || $0 == "-" })
    }
    let others: Set = ["--profile", "--no-color", "--version"]
    #expect(Set(options).subtracting(others) == Set(SaidTests.verbosities.joined()))
  }
}
