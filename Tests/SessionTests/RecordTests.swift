import Basics
import Session
import StrategyHost
import Testing
import Vault

@Suite struct RecordTests {
  func signedIn() throws -> Fixture {
    let fixture = Fixture()
    try fixture.signIn()
    return fixture
  }

  @Test func whatIsWrittenIsRead() throws {
    let fixture = try signedIn()
    let record = try #require(SessionReading(try fixture.store.contents()).record)
    #expect(record.strategy == "basic" && record.identifier == "alice" && record.cookieName == "SyncGatewaySession")
    #expect(record.hasSession && record.canRefresh && !record.isLocal)
    #expect(record.sessionExpiresAt == Fixture.end)
    #expect(record.binding == (try SessionConfiguration(settings: Fixture.basic)).binding)
  }

  @Test func anEmptyVaultHasNoSession() throws {
    #expect(SessionReading(try Fixture().store.contents()) == .none)
  }

  static let damage: [(String, [UInt8]?)] = [
    ("auth.signInId", nil), ("auth.signInId", []), ("auth.signInId", Array("a b".utf8)),
    ("auth.signInId", Array(repeating: 0x61, count: 129)), ("auth.strategy", nil), ("auth.strategy", [0xFF]),
    ("auth.strategy", Array("demo".utf8)), ("auth.binding", nil), ("auth.binding", Array("x".utf8)),
    ("auth.binding", Array("mfs-binding 1\nstrategy=basic\nstrategy=basic".utf8)),
    ("auth.binding", Array("mfs-binding 2\nstrategy=basic".utf8)), ("auth.binding", Array("mfs-binding 1".utf8)),
    ("auth.binding", Array("mfs-binding 1\nnonsense".utf8)), ("auth.binding", Array("mfs-binding 1\nother=1".utf8)),
    ("auth.binding", Array(repeating: 0x61, count: 9_000)), ("auth.sessionExpiresAt", Array("soon".utf8)),
    ("auth.sessionExpiresAt", Array("2026-13-01T00:00:00Z".utf8)), ("auth.sessionExpiresAt", []),
    ("auth.sessionExpiresAt", Array(repeating: 0x30, count: 100)), ("auth.idTokenExpiresAt", [0, 1, 2]),
    ("auth.identifier", Array("a\nb".utf8)), ("auth.identifier", Array(repeating: 0x61, count: 2_000)),
    ("auth.cookieName", Array("a=b".utf8)), ("auth.sessionId", []), ("auth.password", []), ("auth.idToken", []),
    ("auth.employeeId", [0xC3]), ("auth.sessionId", Array("a\r\nX: y".utf8)), ("auth.sessionId", [0, 0xFF]),
    ("auth.sessionId", Array(repeating: 0x61, count: 4_097)), ("auth.idToken", Array("a b".utf8)),
    ("auth.refreshToken", Array("a\nb".utf8)),
  ]

  @Test(arguments: damage) func whatCannotBeReadNeedsASignInAndSendsNothing(_ name: String, _ bytes: [UInt8]?) throws {
    let fixture = try signedIn()
    fixture.store.change { $0[name] = bytes }
    let before = fixture.store.values
    guard case .damaged(let why) = SessionReading(try fixture.store.contents()) else {
      Issue.record("\(name) is taken for good")
      return
    }
    #expect(why.contains("auth."))
    let never = ScriptedStrategies.never()
    let requests: [(SessionService) throws -> SessionService.Report] = [
      { try $0.restore() }, { try $0.refresh() }, { try $0.replicatorFailed(ReplicatorCode(401)) },
    ]
    for request in requests {
      let report = try request(try fixture.service(never))
      #expect(report.failure?.code == .signInNeeded)
      #expect(report.status.state == .signInNeeded)
    }
    #expect(try fixture.service(never).status().reason?.contains("cannot be read") == true)
    #expect(never.calls.isEmpty)
    #expect(fixture.store.values == before)
    // The way out is to sign in again, or to sign out.
    #expect(try fixture.signIn().state == .signedIn)
  }

  @Test func randomBytesNeverTrap() throws {
    let fixture = try signedIn()
    let names = fixture.authNames.sorted()
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      fixture.store.change { $0[names.randomElement(using: &generator) ?? ""] = bytes }
      _ = SessionReading(try fixture.store.contents())
      _ = try fixture.service(ScriptedStrategies.never()).status()
    }
  }

  @Test func bindingsSurviveTheirText() throws {
    let bindings = [
      SessionBinding(strategy: "demo", issuer: nil, clientId: nil, gateway: nil, database: nil),
      SessionBinding(
        strategy: "oidc_code", issuer: "https://login.example.com/t=1", clientId: "a=b c", gateway: "https://g:8443",
        database: "m"),
    ]
    for binding in bindings {
      #expect(SessionBinding(text: try #require(binding.text)) == binding)
    }
    #expect(
      SessionBinding(strategy: "a", issuer: "x\ngateway=y", clientId: nil, gateway: nil, database: nil).text == nil)
  }

  @Test func aBindingShowsOriginsOnly() {
    let binding = SessionBinding(
      strategy: "oidc_code", issuer: "https://user:pw@login.example.com/tenant?key=1#x", clientId: "app",
      gateway: "https://sync.example.com", database: "mfs")
    #expect(
      binding.description
        == "oidc_code at https://sync.example.com, database mfs, issuer https://login.example.com, client app")
  }
}
