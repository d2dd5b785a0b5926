import Foundation
import GatewayLab
import TestSupport
import Testing

/// Whom a sign-out reached, part by part; and the next sign-in, when the provider's own session was not ended.
@Suite struct SignOutTests {
  private typealias Change = (Device) -> Void

  private static func gateway(_ kind: Fault.Kind) -> (Device) -> Void {
    { device in
      var scenario = device.lab.gateway.scenario
      var fault = Fault(kind)
      fault.operations = [.sessionDelete]
      scenario.faults = [fault]
      device.lab.gateway.scenario = scenario
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int32
    let server: String
    let gateway: String
    let revocation: String
    let endSession: String
    let change: @Sendable (Device) -> Void
  }

  static let cases = [
    Case(
      testDescription: "nothing is wrong", status: 0, server: "told", gateway: "reached", revocation: "reached",
      endSession: "reached", change: { _ in }),
    Case(
      testDescription: "the gateway is down", status: 50, server: "unreachable", gateway: "unreachable",
      revocation: "reached", endSession: "reached", change: { gateway(.databaseOffline)($0) }),
    Case(
      testDescription: "a proxy refuses", status: 50, server: "not-told", gateway: "refused", revocation: "reached",
      endSession: "reached", change: { gateway(.forbidden)($0) }),
    Case(
      testDescription: "the session is gone already", status: 0, server: "told", gateway: "reached",
      revocation: "reached", endSession: "reached", change: { $0.lab.gateway.expireSessions() }),
    Case(
      testDescription: "the revocation fails", status: 50, server: "unreachable", gateway: "reached",
      revocation: "unreachable", endSession: "reached", change: { $0.fail(.unavailable, at: [.revoke]) }),
    Case(
      testDescription: "the provider is down", status: 50, server: "unreachable", gateway: "reached",
      revocation: "unreachable", endSession: "unreachable", change: { $0.fail(.unavailable, at: [.discovery]) }),
    Case(
      testDescription: "the provider offers neither", status: 0, server: "told", gateway: "reached",
      revocation: "not-offered", endSession: "not-offered",
      change: { $0.provider.options.absent = [.revoke, .endSession] }),
    Case(
      testDescription: "there is no browser", status: 0, server: "told", gateway: "reached", revocation: "reached",
      endSession: "skipped", change: { $0.person["BROWSER"] = "" }),
  ]

  @Test(arguments: cases) func itSaysWhomItReached(_ wanted: Case) throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    wanted.change(device)
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == wanted.status, "\(logout.errorText)")
    let report =
      #""report":{"local":"done","gateway":"\#(wanted.gateway)","revocation":"\#(wanted.revocation)","#
      + #""endSession":"\#(wanted.endSession)"}"#
    #expect(logout.text.contains(report) && logout.text.contains(#""server":"\#(wanted.server)""#), "\(logout.text)")
    #expect(try device.names() == ["mfs.deviceId"], "whatever the servers say")
    let open = try String(contentsOfFile: device.sandbox("home/state/session/providers-default"), encoding: .utf8)
    #expect(open.isEmpty == (wanted.endSession == "reached"), "\(open)")
  }

  /// What the settings say counts only where the provider does not.
  @Test func theMetadataSayFirstWhereToRevoke() throws {
    let device = try Device()
    try device.settings(more: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT=\(device.provider.issuer)/nothing")
    try #require(try device.login().status == 0)
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 0 && logout.text.contains(#""revocation":"reached""#), "\(logout.text)")
    #expect(device.provider.count(of: .revoke) == 1)
  }

  /// A refresh token is revoked on no server but the issuer's and the token endpoint's: another scheme, host or port is another.
  @Test(arguments: [
    "http://127.0.0.1:1", "https://127.0.0.1:PORT", "http://localhost:PORT", "https://evil.example.org",
  ])
  func anotherServerToRevokeAtIsRefused(server: String) throws {
    let device = try Device { $0.provider.options.absent = [.revoke] }
    let port = try #require(device.provider.issuer.split(separator: ":").last?.split(separator: "/").first)
    let place = server.replacingOccurrences(of: "PORT", with: port)
    try device.settings(more: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT=\(place)/revoke")
    let login = try device.login()
    #expect(login.status == 3, "\(login.errorText)")
    #expect(login.errorText.contains("EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT"), "\(login.errorText)")
    #expect(try device.names().isEmpty && device.provider.count(of: .token) == 0)
  }

  /// Whoever can write to the settings gets no token sent to a server of theirs.
  @Test func aPlaceThatIsAddedAfterTheSignInIsNotReached() throws {
    let device = try Device { $0.provider.options.absent = [.revoke] }, other = WatchedPort()
    try #require(try device.login().status == 0)
    let place = "https://127.0.0.1:\(other.port)"
    try device.settings(more: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT=\(place)/revoke")
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 61 && refresh.errorText.contains("revocation at \(place)"), "\(refresh.errorText)")
    // Nor is it a place that is shown the ID token.
    let fetch = try device.mfsctl("session", "fetch", "\(place)/")
    #expect(fetch.status == 2 && fetch.errorText.contains("no credential goes to \(place)"), "\(fetch.errorText)")
    let logout = try device.mfsctl("session", "logout")
    #expect(logout.status == 50, "\(logout.errorText)")
    #expect(logout.text.contains("refresh token: not asked"), "\(logout.text)")
    #expect(logout.errorText.contains("the settings now say") && logout.errorText.contains(place))
    #expect(try device.names() == ["mfs.deviceId"])
    #expect(!other.wasReached)
  }

  /// A sign-in that is bound to such a place, as when the provider has moved its token endpoint since, sends nothing there either.
  @Test func aPlaceThatIsNoLongerTheProvidersIsNotReached() throws {
    let device = try Device { $0.provider.options.absent = [.revoke] }, other = WatchedPort()
    try #require(try device.login().status == 0)
    let place = "https://127.0.0.1:\(other.port)"
    let binding = try device.value("auth.binding") + "\nrevocation=\(place)"
    try #require(try device.mfsctl("vault", "set", "auth.binding", "--replace", input: binding).status == 0)
    try device.settings(more: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT=\(place)/revoke")
    let logout = try device.mfsctl("session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.text.contains("gateway session: reached"), "\(logout.text)")
    #expect(
      logout.text.contains("refresh token: not offered (EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT is not on the server of"),
      "\(logout.text)")
    #expect(!other.wasReached)
  }

  @Test func itSaysSoToPeopleToo() throws {
    let device = try Device { $0.provider.options.absent = [.revoke] }
    try #require(try device.login().status == 0)
    let logout = try device.mfsctl("session", "logout", "--no-browser")
    #expect(
      logout.text.contains(
        """
        gateway session: reached
        refresh token: not offered (The identity provider names no revocation endpoint: the refresh token lives on until it \
        ends.)
        provider's own session: skipped (No browser was opened for the identity provider's page.)
        the server was told
        the identity provider may still know you: the next sign-in has it ask again

        """), "\(logout.text)")
  }

  /// Signed out, signed in again, and in without a password: the browser's sign-in at the provider was still alive.
  @Test func whoSignedOutIsAskedAgainAndWhoOnlyExpiredIsNot() throws {
    let device = try Device()
    device.person["PERSON_COOKIES"] = device.sandbox("cookies")
    try #require(try device.login().status == 0)
    #expect(device.timesAsked == 1)
    // What empties the vault alone does not reach the provider.
    #expect(try device.mfsctl("vault", "logout").status == 0)
    try #require(try device.login().status == 0)
    #expect(device.timesAsked == 2, "asked again after an offline sign-out")
    #expect(try device.mfsctl("session", "logout", "--no-browser").status == 0)
    try #require(try device.login().status == 0)
    #expect(device.timesAsked == 3, "asked again after a sign-out that left the provider's session")
    // A sign-in that has merely ended is no sign-out, and the completed sign-in before it has settled the matter.
    try #require(try device.mfsctl("vault", "set", "auth.refreshToken", "--replace", input: "dead").status == 0)
    #expect(try device.mfsctl("session", "refresh").status == 61)
    try #require(try device.login().status == 0)
    #expect(device.timesAsked == 3, "the provider still knows who it is")
    #expect(try device.mfsctl("session", "logout").status == 0)
    try #require(try device.login().status == 0)
    #expect(device.timesAsked == 4, "the provider's own session was ended")
    #expect(device.said.contains("it is told to ask again"))
  }

  /// The mark is for one provider and one client, and holds no secret.
  @Test func anotherProviderIsNotAskedToAskAgain() throws {
    let device = try Device.atGateway { $0.provider.options.absent = [.deviceAuthorization] }
    func page() throws -> String {
      let login = try Background(
        [Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
        environment: device.environment)
      defer { login.end() }
      return login.errorText(until: { $0.contains("nonce=") })
    }
    #expect(try page().contains("prompt=consent&"))
    try #require(try device.login().status == 0)
    let file = device.sandbox("home/state/session/providers-default")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      try String(contentsOfFile: file, encoding: .utf8)
        == #"{"issuer":"\#(device.provider.issuer)","clientId":"mfs"}"# + "\n")
    #expect(try device.mfsctl("vault", "logout").status == 0)
    #expect(try page().contains("prompt=login+consent"), "the gateway's own words stay beside it")
    try Data(#"{"issuer":"https://other.example","clientId":"mfs"}"#.utf8).write(to: URL(fileURLWithPath: file))
    #expect(try page().contains("prompt=consent&"))
  }
}
