import Foundation
import GatewayLab
import TestSupport
import Testing

/// Signing in by the authorization code flow, from the browser to the gateway's session, and out again.
@Suite struct CodeFlowTests {
  static let everything: Set<String> = [
    "auth.binding", "auth.cookieName", "auth.idToken", "auth.idTokenExpiresAt", "auth.identifier",
    "auth.plugin.oidc_code.subject", "auth.refreshToken", "auth.sessionExpiresAt", "auth.sessionId", "auth.signInId",
    "auth.strategy", "mfs.deviceId",
  ]

  @Test func aSignInEndsInASession() throws {
    let device = try Device()
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(login.text.contains(#""state":"signedIn","strategy":"oidc_code","identifier":"alice""#))
    #expect(login.text.contains(#""idTokenExpiresAt":"2"#))
    #expect(try device.names() == Self.everything)
    #expect(device.notes.count == 2)
    #expect(device.notes.last?.hasSuffix("/callback Back to the terminal - mfsctl") == true)
    #expect(device.provider.count(of: .token) == 1)
    #expect(device.provider.liveSignIns == 1)
  }

  @Test func aRefreshRotatesTheToken() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    let before = (try device.value("auth.refreshToken"), try device.value("auth.sessionId"))
    let refresh = try device.mfsctl("session", "refresh")
    try #require(refresh.status == 0, "\(refresh.errorText)")
    #expect(try device.value("auth.refreshToken") != before.0)
    #expect(try device.value("auth.sessionId") != before.1)
    #expect(device.provider.liveSignIns == 1)
    #expect(device.provider.count(of: .token) == 2)
  }

  @Test func aSignOutIsToldToEverybody() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.text.contains(#""server":"told""#))
    #expect(try device.names() == ["mfs.deviceId"])
    #expect(device.provider.liveSignIns == 0)
    #expect(device.provider.count(of: .revoke) == 1)
    #expect(device.provider.count(of: .endSession) > 0)
  }

  @Test func aSignOutWithoutABrowserLeavesTheProvidersPage() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    #expect(try device.mfsctl("session", "logout", "--no-browser").status == 0)
    #expect(device.provider.count(of: .endSession) == 0)
    #expect(device.provider.liveSignIns == 0)
  }

  /// A provider that is down keeps nobody signed in here.
  @Test func aSignOutDoesNotWaitForTheProvider() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    device.fail(.unavailable, at: [.revoke])
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 50, "\(logout.errorText)")
    #expect(logout.text.contains(#""server":"unreachable""#))
    #expect(try device.names() == ["mfs.deviceId"])
  }

  @Test func theDevicesIdIsToldAndStaysTheSame() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    let first = try device.value("mfs.deviceId")
    #expect(first.count == 32)
    try #require(try device.mfsctl("session", "logout").status == 0)
    try #require(try device.login().status == 0)
    #expect(try device.value("mfs.deviceId") == first)
  }

  @Test func theCodeAndTheTokensAreNeverSaid() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    var secrets = [Device.password]
    for name in ["auth.idToken", "auth.refreshToken", "auth.sessionId"] { secrets.append(try device.value(name)) }
    try #require(try device.mfsctl("--verbose", "session", "refresh").status == 0)
    for name in ["auth.idToken", "auth.refreshToken", "auth.sessionId"] { secrets.append(try device.value(name)) }
    device.fail(.internalError)
    try device.mfsctl("--verbose", "session", "refresh")
    try device.mfsctl("--verbose", "session", "auth-failure", "--code", "401")
    try device.mfsctl("--verbose", "session", "logout")
    #expect(device.said.count > 500)
    for secret in secrets { #expect(!device.said.contains(secret)) }
    let files = try #require(FileManager.default.enumerator(atPath: device.sandbox.path)).allObjects.map { "\($0)" }
    for file in files where file != "password" {
      guard let bytes = FileManager.default.contents(atPath: device.sandbox(file)) else { continue }
      for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "in \(file)") }
    }
  }

  /// On a terminal of 80 columns a watch shows what is left of the session and of the ID token, and the refresh.
  @Test func aTerminalShowsBothClocks() throws {
    let device = try Device()
    try #require(try device.login().status == 0)
    let watch = "timeout -s TERM 3 '\(Programs.buildFolder)/mfsctl' session watch"
    let result = try run(
      ["script", "-qec", watch, "/dev/null"], in: device.sandbox,
      environment: device.environment.merging(["TERM": "xterm"]) { $1 })
    #expect(
      result.text.contains(/alice \| session 23 h 59 min \| ID token 59 min \d+ s \| refresh 54 min \d+ s/),
      "\(result.text)")
  }

  @Test func anotherPortCanBeChosen() throws {
    let device = try Device()
    let port = DeadPort().port
    let login = try device.login("--redirect-port", "\(port)")
    #expect(login.status == 0, "\(login.errorText)")
    #expect(device.notes.last?.contains(":\(port)/callback") == true)
  }
}
