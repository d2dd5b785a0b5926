import Basics
import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// A device build that signs in to a gateway of its own: a sandbox with settings, a vault and a key, and the real programs.
final class DeviceBuild {
  static let password = Canary.password

  let sandbox: Sandbox
  let lab: Lab
  var said = ""

  init(_ change: (inout Scenario) -> Void = { _ in }) throws {
    try #require(
      FileManager.default.fileExists(atPath: Programs.buildFolder + "/strategies.lock"),
      "the plugins are not staged beside the programs: run the tests by 'make test'")
    var scenario = Scenario()
    change(&scenario)
    lab = try Lab(scenario: scenario)
    try lab.gateway.addUser("alice", password: SecureBytes(publicText: DeviceBuild.password))
    sandbox = try Sandbox()
    try settings(gateway: lab.origin)
    let made = try mfsctl("--quiet", "vault", "init", "--generate", "--key-file", "key")
    try #require(made.status == 0, "\(made.errorText)")
    try #require(try mfsctl("vault", "set", "mfs.dbkey.main", input: Canary.databaseKey).status == 0)
  }

  deinit { lab.stop() }

  func settings(gateway: String, database: String = "mfs") throws {
    try sandbox.write(
      ".env",
      """
      EXPO_PUBLIC_AUTH_STRATEGY=basic
      EXPO_PUBLIC_SG_URL=\(gateway)
      EXPO_PUBLIC_SG_DB=\(database)

      """)
  }

  /// Starts mfsctl with the vault's key, beside the test.
  func background(_ arguments: String...) throws -> Background {
    try Background(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
  }

  /// Runs mfsctl with the vault's key and remembers all that it printed.
  @discardableResult
  func mfsctl(_ arguments: String..., input: String = "") throws -> RunResult {
    let result = try run(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")], input: Data(input.utf8))
    said += result.text + result.errorText
    return result
  }

  @discardableResult
  func login(password: String = DeviceBuild.password) throws -> RunResult {
    try mfsctl("--json", "--verbose", "session", "login", "--identifier", "alice", "--password-stdin", input: password)
  }

  /// The names in the vault.
  func names() throws -> [String] {
    let list = try mfsctl("vault", "list")
    return list.text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// A value of the vault, read without being remembered as printed.
  func value(_ name: String) throws -> String {
    let before = said
    defer { said = before }
    return try mfsctl("vault", "get", name).text
  }

  func fail(_ kind: Fault.Kind, on operation: GatewayLab.Operation? = nil) {
    var fault = Fault(kind)
    if let operation { fault.operations = [operation] }
    var scenario = lab.gateway.scenario
    scenario.faults = [fault]
    lab.gateway.scenario = scenario
  }

  func mend() {
    var scenario = lab.gateway.scenario
    scenario.faults = []
    lab.gateway.scenario = scenario
  }
}
