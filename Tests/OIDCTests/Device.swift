import Basics
import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// A device that signs in through the lab's identity provider: a sandbox with settings and a vault, the real programs, and a
/// person with a browser.
final class Device {
  static let password = "CANARY-person-5511"

  let sandbox: Sandbox
  let lab: Lab
  let provider: IdentityProvider
  private(set) var said = ""
  /// Settings beside those that every sign-in has.
  private let more: String

  init(
    strategy: String = "oidc_code", more: String = "", _ change: (inout Scenario) -> Void = { _ in }
  ) throws {
    self.more = more
    try #require(
      FileManager.default.fileExists(atPath: Programs.buildFolder + "/strategies.lock"),
      "the plugins are not staged beside the programs: run the tests by 'make test'")
    var scenario = Scenario()
    change(&scenario)
    lab = try Lab(scenario: scenario, providerPort: 0)
    provider = try #require(lab.provider)
    try lab.gateway.addUser("alice", password: SecureBytes(publicText: Device.password))
    sandbox = try Sandbox()
    try sandbox.write("password", Device.password)
    try settings(strategy: strategy)
    let made = try mfsctl("--quiet", "vault", "init", "--generate", "--key-file", "key")
    try #require(made.status == 0, "\(made.errorText)")
  }

  deinit { lab.stop() }

  /// A device whose gateway takes the ID tokens of a provider that is not the lab's.
  convenience init(issuer: String, strategy: String = "oidc_code") throws {
    try self.init(strategy: strategy) { $0.options.openID.register = true }
    lab.gateway.trust(issuer: issuer, clientID: provider.clientID)
    try settings(strategy: strategy, issuer: issuer)
  }

  /// A device that signs in by the gateway's own flow, which comes back to a port that is free now.
  static func atGateway(
    more: String = "", _ change: (inout Scenario) -> Void = { _ in }
  ) throws -> Device {
    let port = DeadPort().port
    return try Device(more: "EXPO_PUBLIC_OIDC_CODE_EXCHANGE=gateway\n" + more) { scenario in
      scenario.options.openID.callbackURL = "http://127.0.0.1:\(port)/mfs/_oidc_callback"
      change(&scenario)
    }
  }

  func settings(strategy: String = "oidc_code", issuer: String? = nil, more: String? = nil) throws {
    try sandbox.write(
      ".env",
      """
      EXPO_PUBLIC_AUTH_STRATEGY=\(strategy)
      EXPO_PUBLIC_SG_URL=\(lab.origin)
      EXPO_PUBLIC_SG_DB=mfs
      EXPO_PUBLIC_OIDC_ISSUER=\(issuer ?? provider.issuer)
      EXPO_PUBLIC_OIDC_CLIENT_ID=\(provider.clientID)
      \(more ?? self.more)

      """)
  }

  static let personProgram = Bundle.module.path(forResource: "person", ofType: "py", inDirectory: "Resources") ?? ""

  var environment: [String: String] {
    [
      "MFSCTL_VAULT_KEY_FILE": sandbox("key"), "BROWSER": "python3 \(Device.personProgram) %s",
      "PERSON_PASSWORD": sandbox("password"), "PERSON_NOTES": sandbox("notes"),
    ].merging(person) { $1 }
  }

  /// What is special about the person: see `person.py`.
  var person: [String: String] = [:]

  /// Runs mfsctl and remembers all that it printed.
  @discardableResult
  func mfsctl(_ arguments: String..., input: String = "") throws -> RunResult { try run(arguments, input: input) }

  func run(_ arguments: [String], input: String = "") throws -> RunResult {
    let result = try TestSupport.run(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: sandbox, environment: environment, input: Data(input.utf8))
    said += result.text + result.errorText
    return result
  }

  @discardableResult
  func login(_ more: String...) throws -> RunResult {
    try run(["--json", "--verbose", "session", "login"] + more)
  }

  /// The names in the vault.
  func names() throws -> Set<String> {
    Set(
      try mfsctl("vault", "list").text.split(separator: "\n").compactMap {
        $0.split(separator: " ").first.map(String.init)
      })
  }

  /// A value of the vault, read without being remembered as printed.
  func value(_ name: String) throws -> String {
    let before = said
    defer { said = before }
    return try mfsctl("vault", "get", name).text
  }

  /// What the person saw.
  var notes: [String] {
    ((try? String(contentsOfFile: sandbox("notes"), encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// Waits until something has happened, such as that the provider was asked, 20 seconds at most, and says whether it has. A
  /// request that is answered late counts as soon as it has come.
  func wait(until isDone: () -> Bool) -> Bool {
    for _ in 0..<2_000 where !isDone() { usleep(10_000) }
    return isDone()
  }

  /// How often the provider has asked the person for the password.
  var timesAsked: Int { notes.count { $0.contains("/authorize") } }

  func fail(_ kind: ProviderFault.Kind, at endpoints: Set<ProviderEndpoint> = [], times: Int? = nil) {
    var fault = ProviderFault(kind)
    fault.endpoints = endpoints
    fault.times = times
    provider.faults = [fault]
  }
}
