import Basics
import Foundation
import Session
import TestSupport
import Testing

@Suite struct BindingTests {
  static let changes: [[String: String]] = [
    ["EXPO_PUBLIC_SG_URL": "wss://evil.example.org"], ["EXPO_PUBLIC_SG_URL": "ws://sync.example.com"],
    ["EXPO_PUBLIC_SG_URL": "wss://sync.example.com:4984"], ["EXPO_PUBLIC_SG_DB": "other"],
    ["EXPO_PUBLIC_AUTH_STRATEGY": "oidc_code"], ["EXPO_PUBLIC_OIDC_ISSUER": "https://login.example.com"],
    ["EXPO_PUBLIC_OIDC_CLIENT_ID": "app"],
    ["EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT": "https://evil.example.org/revoke"],
  ]

  @Test(arguments: changes) func changedSettingsSendNothing(_ change: [String: String]) throws {
    let fixture = Fixture()
    try fixture.signIn()
    let before = fixture.store.values
    fixture.settings.merge(change) { $1 }
    let never = ScriptedStrategies.never()
    let requests: [(SessionService) throws -> SessionService.Report] = [
      { try $0.restore() }, { try $0.refresh() }, { try $0.replicatorFailed(ReplicatorCode(401)) },
    ]
    for request in requests {
      let report = try request(try fixture.service(never))
      let failure = try #require(report.failure)
      #expect(failure.code.exit == .signInNeeded)
      #expect(failure.message.contains("basic at https://sync.example.com, database mfs"))
      #expect(failure.message.contains(try SessionConfiguration(settings: fixture.settings).binding.description))
      for canary in Canary.all { #expect(!failure.description.contains(canary)) }
      #expect(report.status.state == .signInNeeded)
    }
    #expect(try fixture.service(never).status().state == .signInNeeded)
    #expect(never.calls.isEmpty, "something was sent")
    #expect(fixture.store.values == before)
    // Set back, the session is there as before.
    fixture.settings = Fixture.basic
    #expect(try fixture.service(never).restore().status.state == .signedIn)
  }

  /// A setting that lets a strategy of the toolkit's own reach a server is among those whose change is tried here.
  @Test func everySettingThatNamesAServerIsBound() throws {
    let folder = Programs.checkout + "/Sources/StrategyPlugins"
    var named: Set<String> = []
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder) where file.hasSuffix(".yaml") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for place in text.components(separatedBy: "setting:").dropFirst() {
        named.insert(String(place.prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
      }
    }
    #expect(named.isSuperset(of: ["EXPO_PUBLIC_SG_URL", "EXPO_PUBLIC_OIDC_ISSUER"]))
    for name in named { #expect(BindingTests.changes.contains { $0[name] != nil }, "\(name)") }
  }

  @Test(arguments: changes) func logoutUnderChangedSettingsRemovesAndSendsNothing(_ change: [String: String]) throws {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.settings.merge(change) { $1 }
    let never = ScriptedStrategies.never()
    let (report, notice) = try fixture.logOut(never)
    #expect(fixture.authNames.isEmpty)
    #expect(report.kept.map(\.text) == ["mfs.dbkey.main", "mfs.deviceId"])
    #expect(notice.server == .notTold)
    #expect(notice.failure?.code.exit == .partial)
    #expect(never.calls.isEmpty)
  }

  /// What a strategy of somebody else's may talk to besides: its credentials stay with the servers that they are of.
  @Test(arguments: ["https://evil.example.org/otp", "https://otp.example.com:8443/otp", ""])
  func theServersOfAManifestAreBound(_ changed: String) throws {
    let fixture = Fixture()
    fixture.settings["EXPO_PUBLIC_OTP_URL"] = "https://otp.example.com/otp"
    let servers = ["EXPO_PUBLIC_OTP_URL", "EXPO_PUBLIC_SG_URL"]
    let strategies = ScriptedStrategies { _, _ throws(Failure) in
      try cookie(Canary.session, until: Fixture.end, password: Canary.password)
    }
    strategies.servers = servers
    _ = try fixture.service(strategies).login(identifier: "alice", prompter: ScriptedPrompter([:]))
    let never = ScriptedStrategies.never()
    never.servers = servers
    // Another path on the same server is no other place.
    fixture.settings["EXPO_PUBLIC_OTP_URL"] = "https://otp.example.com/v2"
    #expect(try fixture.service(never).restore().status.state == .signedIn)
    fixture.settings["EXPO_PUBLIC_OTP_URL"] = changed
    let failure = try #require(try fixture.service(never).refresh().failure)
    #expect(failure.code.exit == .signInNeeded)
    #expect(failure.message.contains("EXPO_PUBLIC_OTP_URL=https://otp.example.com"), "\(failure.message)")
    let (_, notice) = try fixture.logOut(never)
    #expect(notice.server == .notTold && notice.failure?.code.exit == .partial)
    #expect(never.calls.isEmpty, "something was sent")
    #expect(fixture.authNames.isEmpty)
  }

  /// Where tokens are revoked counts by its server, and not at all on the issuer's own.
  @Test func aRevocationEndpointIsBoundByItsServer() throws {
    func binding(_ endpoint: String) throws -> SessionBinding {
      try SessionConfiguration(
        settings: Fixture.basic.merging(
          [
            "EXPO_PUBLIC_OIDC_ISSUER": "https://login.example.com/t",
            "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT": endpoint,
          ]) { $1 }
      ).binding
    }
    let none = try binding("")
    #expect(try binding("https://LOGIN.example.com:443/o/revoke") == none)
    let others = [
      "https://login.example.com:8443/t", "http://login.example.com/t", "https://login.example.org/t",
      "https://login.example.com.evil.example.org/t",
    ]
    for other in others {
      let bound = try binding(other)
      #expect(bound != none && bound.differences(from: none) == ["the revocation endpoint"], "\(other)")
      #expect(SessionBinding(text: try #require(bound.text)) == bound)
    }
    #expect(try binding("https://tokens.example.com/a") == (try binding("https://tokens.example.com/b")))
    for url in ["revoke", "https://user:pw@login.example.com/"] {
      let failure = #expect(throws: Failure.self) { try binding(url) }
      #expect(failure?.code == .configuration && failure?.message.contains("pw") == false)
    }
  }

  @Test func anotherSpellingOfTheSamePlaceIsTheSamePlace() throws {
    let fixture = Fixture()
    try fixture.signIn()
    fixture.settings["EXPO_PUBLIC_SG_URL"] = "https://sync.example.com:443/"
    #expect(try fixture.service(ScriptedStrategies.never()).restore().failure == nil)
  }
}
