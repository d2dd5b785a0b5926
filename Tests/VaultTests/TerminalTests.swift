import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Somebody at a terminal. `typist.py` plays the person; what is typed must never be shown, and the terminal must be as
/// before whatever happens.
@Suite struct TerminalTests {
  private struct Outcome: Decodable {
    let status: Int32?
    let shown: String
    let echoes: [Bool]
  }

  private func play(_ vault: TestVault, _ steps: [String], _ command: [String]) throws -> Outcome {
    try play(vault, steps, program: ["mfsctl", "vault"] + command)
  }

  private func play(_ vault: TestVault, _ steps: [String], program: [String]) throws -> Outcome {
    let typist = Programs.checkout + "/Tests/VaultTests/Terminal/typist.py"
    let result = try run(["python3", typist, steps.joined(separator: "\n")] + program, in: vault.sandbox)
    return try JSONDecoder().decode(Outcome.self, from: result.output)
  }

  private func made() throws -> TestVault {
    let vault = try TestVault()
    let made = try play(
      vault, ["wait New passphrase: ", "type open sesame please", "wait again: ", "type open sesame please"], ["init"])
    try #require(made.status == 0, "\(made.shown)")
    #expect(!made.shown.contains("sesame"))
    return vault
  }

  @Test func aPassphraseIsAskedForAndNotShown() throws {
    let vault = try made()
    let asked = try play(vault, ["wait Passphrase of the vault: ", "echo", "type open sesame please"], ["list"])
    #expect(asked.status == 0)
    #expect(!asked.shown.contains("sesame"))
    #expect(asked.echoes == [false, true])
  }

  private static let wrong = ["wait Passphrase of the vault: ", "type wrong one"]

  @Test func aMistypedPassphraseIsAskedForAgain() throws {
    let vault = try made()
    let right = ["wait That does not open it. Passphrase of the vault: ", "type open sesame please"]
    let second = try play(vault, TerminalTests.wrong + right, ["list"])
    #expect(second.status == 0)
    // Nothing typed is mistyped too; and a wipe that was mistyped keeps the vault.
    let before = try vault.bytes()
    let third = try play(
      vault, ["wait Passphrase of the vault: ", "type "] + TerminalTests.wrong + right, ["logout", "--wipe"])
    #expect(third.status == 0 && !third.shown.contains("removed"))
    #expect(try vault.bytes() == before)
    let never = try play(vault, TerminalTests.wrong + TerminalTests.wrong + TerminalTests.wrong, ["list"])
    #expect(never.status == 22)
    #expect(never.shown.components(separatedBy: "Passphrase of the vault: ").count == 4)
  }

  @Test func threeWrongPassphrasesAreNoWorkingKey() throws {
    let vault = try made()
    let before = try vault.bytes()
    let thrice = TerminalTests.wrong + TerminalTests.wrong + TerminalTests.wrong
    for command in [["logout", "--wipe", "--dry-run"], ["logout", "--wipe", "--dry-run", "--quiet"]] {
      let dry = try play(vault, thrice, command)
      #expect(dry.status == 0 && dry.shown.contains("the whole vault would be removed, because"))
      #expect(dry.shown.contains("mfs.dbkey.*"))
      #expect(try String(contentsOfFile: vault.sandbox("out"), encoding: .utf8).contains("would be removed as a whole"))
      #expect(try vault.bytes() == before)
    }
    // Ctrl-D or Ctrl-C at the second question removes nothing.
    for (key, status) in [("key 04", 130), ("key 03", -2)] as [(String, Int32)] {
      let cancelled = try play(
        vault, TerminalTests.wrong + ["wait Passphrase of the vault: ", key], ["logout", "--wipe"])
      #expect(cancelled.status == status)
      #expect(try vault.bytes() == before)
    }
    let wipe = try play(vault, thrice, ["logout", "--wipe", "--quiet"])
    #expect(wipe.status == 0 && wipe.shown.contains("the whole vault is removed, because"))
    #expect(wipe.shown.contains("the passphrase does not open this vault") && wipe.shown.contains("mfs.dbkey.*"))
    #expect(!Files.exists(vault.file))
  }

  @Test func aVaultThatOnlyAKeyFileOpensAsksForNone() throws {
    let vault = try TestVault()
    try vault.create()
    let outcome = try play(vault, [], ["list"])
    #expect(outcome.status == 21 && !outcome.shown.contains("Passphrase"))
    #expect(outcome.shown.contains("opens with a key file only") && outcome.shown.contains("--key-file"))
  }

  private func running(_ marker: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { entry in
      guard Int32(entry) != nil, let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") else {
        return false
      }
      return String(decoding: line, as: UTF8.self).hasPrefix("sleep\0\(marker)")
    }
  }

  /// Ctrl-C ends a command that does not end by itself, whatever it ignores, and everything it started.
  @Test(arguments: [
    ("sleep 4001.25", "4001.25"), ("trap '' INT TERM; sleep 4002.25", "4002.25"), ("sleep 4003.25 | cat", "4003.25"),
  ])
  func ctrlCEndsThePassphraseCommand(command: String, time: String) throws {
    let vault = try made()
    let line = "printf started >/dev/tty; \(command)"
    let outcome = try play(vault, ["see started", "key 03"], ["list", "--passphrase-command", line])
    #expect(outcome.status == -2, "\(outcome.shown)")
    #expect(try !running(time))
  }

  @Test func aPassphraseCommandMayAskOnTheTerminal() throws {
    let vault = try made()
    let line =
      "printf 'Which? ' >/dev/tty; stty -echo </dev/tty; read -r word </dev/tty; stty echo </dev/tty; echo \"$word\""
    let asked = try play(
      vault, ["wait Which? ", "type open sesame please"], ["list", "--passphrase-command", line])
    #expect(asked.status == 0 && !asked.shown.contains("sesame"), "\(asked.shown)")
    let stopped = try play(vault, ["wait Which? ", "echo", "key 03"], ["list", "--passphrase-command", line])
    #expect(stopped.status == 130)
    #expect(stopped.echoes == [false, true])
  }

  @Test func twoThatDifferMakeNoVault() throws {
    let vault = try TestVault()
    let outcome = try play(
      vault, ["wait New passphrase: ", "type one thing", "wait again: ", "type another"], ["init"])
    #expect(outcome.status == 2)
    #expect(try vault.store.status().initialised == false)
  }

  /// Ctrl-C stops the program as it would any other, with the echo back on.
  @Test(arguments: [("key 03", 2), ("signal 15", 15), ("signal 1", 1), ("key 1c", 3)] as [(String, Int32)])
  func aStopAtThePromptRestoresTheTerminal(step: String, signal: Int32) throws {
    let outcome = try play(try made(), ["wait Passphrase of the vault: ", "echo", step], ["list"])
    #expect(outcome.status == -signal)
    #expect(outcome.echoes == [false, true])
  }

  @Test func theEndOfInputCancels() throws {
    let outcome = try play(try made(), ["wait Passphrase of the vault: ", "key 04"], ["list"])
    #expect(outcome.status == 130)
    #expect(outcome.echoes == [true])
  }

  /// A value on a terminal gets a line end behind it; into a pipe it goes as it is.
  @Test(arguments: ["get mfs.dbkey.main", "dbkey show main"]) func onlyATerminalGetsALineEnd(command: String) throws {
    let vault = try TestVault()
    try vault.create()
    try vault.set("mfs.dbkey.main", "value")
    let line = "mfsctl vault \(command) --key-file key"
    let shown = try run(["script", "-qec", line, "/dev/null"], in: vault.sandbox)
    #expect(shown.status == 0 && shown.text == "value\r\n", "\(shown.text)\(shown.errorText)")
    #expect(try run(["sh", "-c", line], in: vault.sandbox).text == "value")
  }

  /// Ctrl-Z gives the shell its terminal back; when the program goes on it asks again.
  @Test func aPauseRestoresTheTerminalAndAsksAgain() throws {
    let vault = try made()
    // A shell with job control, as a person has: it is given back the terminal, and later resumes the program.
    let outcome = try play(
      vault,
      ["wait Passphrase of the vault: ", "key 1a", "wait Passphrase of the vault: ", "type open sesame please"],
      program: ["bash", "-c", "set -m; mfsctl vault list; echo $? >stopped; stty -a </dev/tty >state; fg"])
    #expect(outcome.status == 0)
    // 128 + SIGTSTP.
    #expect(try String(contentsOfFile: vault.sandbox("stopped"), encoding: .utf8) == "148\n")
    #expect(try String(contentsOfFile: vault.sandbox("state"), encoding: .utf8).contains(" echo "))
    #expect(!outcome.shown.contains("sesame"))
  }
}
