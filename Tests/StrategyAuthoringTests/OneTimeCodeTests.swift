import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// The example in C: it passes the kit, is trusted by a user, and signs in with two factors at a gateway that takes them in one.
@Suite struct OneTimeCodeTests {
  private struct Outcome: Decodable {
    let status: Int32?
    let shown: String
  }

  private static let password = "CANARY-first-factor", code = "287082"

  let sandbox: Sandbox
  let lab: Lab

  init() throws {
    try requireStaged()
    sandbox = try Sandbox()
    lab = try Lab()
    let copied = try run(["cp", "-R", "\(Programs.checkout)/Examples/otp", sandbox("otp")], in: sandbox)
    try #require(copied.status == 0, "\(copied.errorText)")
    try sandbox.write(
      "env/catalog.yaml",
      """
      version: 1
      groups: [{id: auth, title: Sign-in}]
      settings:
        - {name: EXPO_PUBLIC_AUTH_STRATEGY, group: auth, type: enum, values: [basic], default: basic, summary: How.}
        - {name: EXPO_PUBLIC_SG_URL, group: auth, type: url, schemes: [wss, http], summary: The gateway.}
        - {name: EXPO_PUBLIC_SG_DB, group: auth, type: string, default: mfs, summary: The database.}
      include: [../otp/mfs-strategy-otp.yaml]

      """)
    let made = try mfsctl("--quiet", "vault", "init", "--generate", "--key-file", "key")
    try #require(made.status == 0, "\(made.errorText)")
  }

  private func mfsctl(_ arguments: String...) throws -> RunResult {
    try run(["mfsctl"] + arguments, in: sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
  }

  private func build(_ compiler: String) throws {
    let path = "\(Programs.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let built = try run(
      [
        "make", "-B", "-C", "otp", "test", "CC=\(compiler)", "CFLAGS=-O2 -Wall -Wextra -Werror -pedantic",
        NewProjectTests.short,
        "HEADERS=-I\(Programs.checkout)/Sources/StrategyPlugins/ABI/include",
      ], in: sandbox, environment: ["PATH": path], seconds: 300)
    try #require(built.status == 0, "\(built.text)\(built.errorText)")
    #expect(built.errorText.contains("nothing found by 12 checks"), "\(built.errorText)")
  }

  private func trust() throws {
    let install = try run(
      ["sh", "-euc", "mkdir -p home/data/plugins; cp otp/*.so otp/*.yaml home/data/plugins"], in: sandbox)
    try #require(install.status == 0, "\(install.errorText)")
    let trusted = try mfsctl("strategy", "trust", "--yes", "home/data/plugins/libmfs-strategy-otp.so")
    try #require(trusted.status == 0 && trusted.errorText.contains("asks for the name"), "\(trusted.errorText)")
  }

  private func signIn(_ settings: String, code: String = OneTimeCodeTests.code) throws -> Outcome {
    try sandbox.write(
      ".env", "EXPO_PUBLIC_AUTH_STRATEGY=otp\nEXPO_PUBLIC_SG_URL=\(lab.origin)\nEXPO_PUBLIC_SG_DB=mfs\n\(settings)")
    let typist = Programs.checkout + "/Tests/VaultTests/Terminal/typist.py"
    let steps = """
      wait otp asks: Password:
      type \(OneTimeCodeTests.password)
      wait otp asks: One-time code:
      type \(code)
      """
    let result = try run(
      ["python3", typist, steps, "mfsctl", "session", "login", "--identifier", "alice"], in: sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
    return try JSONDecoder().decode(Outcome.self, from: result.output)
  }

  @Test(arguments: ["gcc", "clang"]) func twoFactorsSignIn(compiler: String) throws {
    defer { lab.stop() }
    try build(compiler)
    try trust()
    for (joined, settings) in [
      (OneTimeCodeTests.password + OneTimeCodeTests.code, ""),
      (
        OneTimeCodeTests.code + ":" + OneTimeCodeTests.password,
        "EXPO_PUBLIC_OTP_PLACE=before\nEXPO_PUBLIC_OTP_SEPARATOR=:\n"
      ),
    ] {
      try? lab.gateway.addUser("alice", password: SecureBytes(publicText: joined))
      try lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: joined))
      let wrong = try signIn(settings, code: "000000")
      #expect(wrong.status == 60, "\(wrong.shown)")
      let before = lab.gateway.sessionCount
      let right = try signIn(settings)
      #expect(right.status == 0, "\(right.shown)")
      #expect(lab.gateway.sessionCount == before + 1)
      #expect(!(wrong.shown + right.shown).contains(OneTimeCodeTests.password))
    }
    // What was good once is not kept, so only a person can go on.
    let names = try mfsctl("vault", "list").text
    #expect(names.contains("auth.sessionId") && !names.contains("auth.password"), "\(names)")
    #expect(try mfsctl("session", "refresh").status == 61)
    let left = lab.gateway.sessionCount
    let logout = try mfsctl("session", "logout")
    #expect(logout.status == 0 && lab.gateway.sessionCount == left - 1, "\(logout.errorText)")
  }
}
