import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// A device's whole life at each verbosity - refused and failing sign-ins, one that works, restores, refreshes, rejected
/// sessions, sign-outs - with the real programs: nothing of a secret is in what they print or in a file that they leave,
/// but in the sealed vault.
@Suite struct SaidTests {
  static let verbosities = [
    [], ["--quiet"], ["--verbose"], ["--json"], ["--json", "--quiet"], ["--json", "--verbose"],
  ]
  private static let wrong = "CANARY-wrong-1234"

  /// A device and every secret that it has had.
  private final class Life {
    let device: DeviceBuild
    let verbosity: [String]
    var secrets: Set<Data>
    var said = Data()
    var runs = 0

    init(_ verbosity: [String]) throws {
      device = try DeviceBuild()
      self.verbosity = verbosity
      let key = try Data(contentsOf: URL(fileURLWithPath: device.sandbox("key")))
      secrets = Set([DeviceBuild.password, SaidTests.wrong, Canary.databaseKey].map { Data($0.utf8) } + [key])
      // What goes over the wire: RFC 7617 credentials.
      for password in [DeviceBuild.password, SaidTests.wrong] {
        secrets.insert(Data(Data("alice:\(password)".utf8).base64EncodedString().utf8))
      }
    }

    func step(_ line: String, _ status: Int32, password: String? = nil) throws {
      let result = try run(
        [Programs.buildFolder + "/mfsctl"] + verbosity + ["session"] + line.split(separator: " ").map(String.init),
        in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")],
        input: Data((password ?? "").utf8))
      #expect(result.status == status, "\(verbosity) \(line): \(result.status) \(result.errorText)")
      said += result.output + result.errors
      runs += 1
      for name in ["auth.sessionId", "auth.password"] {
        let value = try device.value(name)
        if !value.isEmpty { secrets.insert(Data(value.utf8)) }
      }
    }

    func login(_ status: Int32 = 0, password: String = DeviceBuild.password) throws {
      try step("login --identifier alice --password-stdin", status, password: password)
    }
  }

  @Test(arguments: verbosities) func noSecretIsSaidOrLeftBehind(verbosity: [String]) throws {
    let life = try Life(verbosity)
    let device = life.device
    try life.login(60, password: SaidTests.wrong)
    for (kind, status) in [(.internalError, 62), (.wrongJSON, 62), (.redirect, 63), (.forbidden, 63)]
      as [(Fault.Kind, Int32)]
    {
      device.fail(kind)
      try life.login(status)
    }
    device.mend()
    try life.step("restore", 61)
    try life.step("refresh", 61)
    try life.login()
    try life.step("status", 0)
    try life.step("restore", 0)
    try life.step("refresh", 0)
    try life.step("auth-failure --code 404", 0)
    try life.step("auth-failure --code 401", 0)
    device.fail(.databaseOffline)
    try life.step("refresh", 62)
    try life.step("auth-failure --code 10401", 62)
    try life.step("restore", 62)
    device.mend()
    try life.step("restore", 0)
    try device.lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: "CANARY-another-5678"))
    try life.step("auth-failure --code 401", 61)
    try life.step("status", 0)
    try device.lab.gateway.changePassword(of: "alice", to: SecureBytes(publicText: DeviceBuild.password))
    try life.login()
    device.fail(.internalError)
    try life.step("logout", 50)
    device.mend()
    try life.login()
    try life.step("logout", 0)
    try life.login()
    try search(life)
    try life.step("logout --wipe", 0)
    try life.step("status", 0)
    #expect(life.runs == 26)
    // The password, and a session for each time that one was made.
    #expect(life.secrets.count >= 6 + 5, "\(life.secrets.count)")
    try search(life)
  }

  private func search(_ life: Life) throws {
    let sandbox = life.device.sandbox
    var places = [("what was said", life.said)]
    for file in try #require(FileManager.default.enumerator(atPath: sandbox.path)).allObjects.map({ "\($0)" })
    where file != "key" {
      if let bytes = FileManager.default.contents(atPath: sandbox(file)) { places.append((file, bytes)) }
    }
    for file in ["home/state/session.log", "home/data/vault/default.mfsv", "home/state/session/refresh-default.lock"] {
      #expect(places.contains { $0.0 == file }, "\(file)")
    }
    #expect(life.said.count > 500)
    for secret in life.secrets {
      let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let base64 = secret.base64EncodedString().prefix(20)
      for (place, data) in places {
        for form in [secret, Data(hex.utf8), Data(base64.utf8)] {
          #expect(data.range(of: form) == nil, "\(life.verbosity): a secret is in \(place)")
        }
      }
    }
  }
}
