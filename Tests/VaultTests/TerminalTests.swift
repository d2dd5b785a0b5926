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
    #expect(try play(vault, ["wait Passphrase of the vault: ", "type wrong one"], ["list"]).status == 22)
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
