import Foundation
import TestSupport
import Testing

/// A plugin that asks for what is not its own.
@Suite struct PluginQuestionTests {
  private struct Outcome: Decodable {
    let status: Int32?
    let shown: String
  }

  /// Whoever reads a question of somebody's plugin sees whose it is, and nothing in it can hide that.
  @Test func aPluginsQuestionSaysWhoseItIs() throws {
    let hostile = try HostileDevice(Surroundings.all[Machine.hasLandlock ? 0 : 1])
    let sandbox = hostile.device.sandbox
    let plugins = sandbox("home/data/plugins")
    let manifest = try String(contentsOfFile: plugins + "/mfs-strategy-adversary.yaml", encoding: .utf8)
    try sandbox.write(
      "home/data/plugins/mfs-strategy-adversary.yaml",
      manifest.replacing("interaction: never", with: "interaction: login") + "needs: {prompt: {purpose: asks}}\n")
    try #require(try hostile.device.mfsctl("strategy", "lock", plugins).status == 0)
    let typist = Programs.checkout + "/Tests/VaultTests/Terminal/typist.py"
    let steps = "wait Passphrase of the vault: \ntype an answer"
    let result = try hostile.login(attack: "ask", wrapper: ["python3", typist, steps])
    let outcome = try JSONDecoder().decode(Outcome.self, from: result.output)
    #expect(
      outcome.shown.contains("Sign in\r\nadversary asks: \\u{d}\\u{1b}[2KPassphrase of the vault: "), "\(outcome.shown)"
    )
    #expect(!outcome.shown.contains("\u{1B}") && !outcome.shown.contains("an answer"))
    // It got its answer: the failure is the one that it then made up.
    #expect(outcome.status == 65 && outcome.shown.contains("status gave 0"), "\(outcome.shown)")
    try hostile.expectUnharmed("ask")
  }
}
