import Basics
import Foundation
import Session
import StrategyHost
import Testing

/// What is remembered of identity providers that may still know somebody who signed out here.
@Suite struct ProviderSessionTests {
  private static let oidc = [
    "EXPO_PUBLIC_AUTH_STRATEGY": "oidc_code", "EXPO_PUBLIC_SG_URL": "wss://sync.example.com",
    "EXPO_PUBLIC_OIDC_ISSUER": "https://login.example.com", "EXPO_PUBLIC_OIDC_CLIENT_ID": "mfs",
  ]

  private func fixture() -> Fixture {
    let fixture = Fixture()
    fixture.settings = Self.oidc
    return fixture
  }

  /// Signs in with an ID token and says whether the provider was to ask again.
  private func signIn(_ fixture: Fixture) throws -> Bool {
    var asked = false
    let strategies = ScriptedStrategies { _, services throws(Failure) in
      asked = services.asksAgain
      guard case .success(var fields) = try cookie(Canary.session, until: Fixture.end, password: nil) else {
        throw Failure(.bug, "no session")
      }
      fields["idToken"] = try secret("CANARY.id.token")
      fields["idTokenExpiresAt"] = .instant(Fixture.end)
      return .success(fields)
    }
    _ = try fixture.service(strategies).login(identifier: "alice", prompter: ScriptedPrompter([:]))
    return asked
  }

  private func logOut(_ fixture: Fixture, _ endSession: String) throws {
    _ = try fixture.logOut(
      ScriptedStrategies { _, _ throws(Failure) in
        .success(["gateway": .text("reached"), "endSession": .text(endSession)])
      })
  }

  @Test func onlyAnUnfinishedSignOutAsksAgain() throws {
    let fixture = fixture()
    #expect(try !signIn(fixture), "nobody was signed in before")
    #expect(try !signIn(fixture), "nobody signed out")
    try logOut(fixture, "reached")
    #expect(try !signIn(fixture), "the provider's own session was ended")
    for outcome in ["skipped", "refused", "unreachable", "not-offered"] {
      try logOut(fixture, outcome)
      #expect(try signIn(fixture), "\(outcome)")
    }
    #expect(try !signIn(fixture), "the sign-in has settled it")
  }

  @Test func whoWasRejectedDidNotSignOut() throws {
    let fixture = fixture()
    #expect(try !signIn(fixture))
    _ = try fixture.service(Fixture.failing(.badCredentials)).replicatorFailed(ReplicatorCode(401))
    #expect(fixture.store.text("auth.idToken") == nil)
    #expect(try !signIn(fixture))
  }

  @Test func itIsForThatIssuerAndThatClient() throws {
    let fixture = fixture()
    #expect(try !signIn(fixture))
    try logOut(fixture, "skipped")
    for (name, value) in [
      ("EXPO_PUBLIC_OIDC_ISSUER", "https://other.example.com"), ("EXPO_PUBLIC_OIDC_CLIENT_ID", "b"),
    ] {
      fixture.settings = Self.oidc
      fixture.settings[name] = value
      #expect(try !signIn(fixture), "\(name)")
      try logOut(fixture, "reached")
    }
    fixture.settings = Self.oidc
    #expect(try signIn(fixture), "the others' sign-outs say nothing of this one's")
  }

  @Test func theFileIsBoundedAndHoldsNoSecretAndMayBeDamaged() throws {
    let fixture = fixture()
    let providers = fixture.providers
    for number in 0..<100 {
      try providers.remember(
        SessionBinding(
          strategy: "oidc_code", issuer: "https://\(number).example.com", clientId: "mfs", gateway: nil, database: nil))
    }
    let lines = try String(contentsOfFile: providers.path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 64 && lines.last == #"{"issuer":"https://99.example.com","clientId":"mfs"}"#)
    #expect(try FileManager.default.attributesOfItem(atPath: providers.path)[.posixPermissions] as? Int == 0o600)
    try Data([0xFF, 0x0A, 0x7B, 0x0A]).write(to: URL(fileURLWithPath: providers.path))
    #expect(try signIn(fixture), "what cannot be read may have named it")
    #expect(fixture.warned.isEmpty)
    try logOut(fixture, "skipped")
    #expect(try signIn(fixture))
    let text = try String(contentsOfFile: providers.path, encoding: .utf8)
    #expect(!Canary.all.contains { text.contains($0) } && !text.contains("alice"))
  }

  /// A list that others could have written is not taken; then the provider rather asks once too often.
  @Test func whatOthersCanWriteIsNotTrusted() throws {
    let fixture = fixture()
    #expect(try !signIn(fixture))
    try logOut(fixture, "reached")
    chmod(fixture.providers.path, 0o666)
    #expect(try signIn(fixture))
  }
  static let obstacles: [(String, @Sendable (Fixture) throws -> Void)] = [
    ("a file in the place of 'state'", { try Data().write(to: URL(fileURLWithPath: $0.folder)) }),
    ("a link to nowhere in its place", { symlink("/nonexistent/mfsctl", $0.folder) }),
    (
      "a folder that others can change",
      { fixture in
        let session = fixture.folder + "/session"
        try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
        chmod(session, 0o777)
      }
    ),
    (
      "a list that is a link",
      { fixture in
        try FileManager.default.createDirectory(
          atPath: fixture.folder + "/session", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        symlink("/dev/null", fixture.providers.path)
      }
    ),
    (
      "a list that others can read",
      { fixture in
        _ = try fixture.providers.mayKnow(
          SessionBinding(
            strategy: "oidc_code", issuer: "https://login.example.com", clientId: "mfs", gateway: nil, database: nil))
        chmod(fixture.providers.path, 0o644)
      }
    ),
  ]

  /// Nobody is kept from signing in, but where no sign-in can be noted all may have been forgotten.
  @Test(arguments: 0..<5) func aSignInThatCannotBeNotedIsWarnedOfAndTheNextIsAskedAgain(number: Int) throws {
    let (what, put) = Self.obstacles[number]
    let fixture = fixture()
    try put(fixture)
    #expect(try signIn(fixture), "\(what)")
    #expect(fixture.warned.count == 1 && fixture.warned.first?.hint != nil, "\(what): \(fixture.warned)")
    #expect(fixture.warned.first?.message.contains("cannot be noted") == true, "\(what)")
    try logOut(fixture, "skipped")
    #expect(try signIn(fixture), "\(what)")
  }
}
