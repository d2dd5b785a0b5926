import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

/// Faults that others have reported in public of clients, gateways and providers like these, each tried here. A test is named
/// after what went wrong there; the comment says where that is told. `SessionTests` has those that need no provider.
@Suite struct PublicReportTests {
  private func signedIn(
    _ more: String = "", _ change: (inout Scenario) -> Void = { _ in }
  ) throws -> Device {
    let device = try Device(more: more, change)
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    return device
  }

  private func background(_ device: Device, _ arguments: String...) throws -> Background {
    try Background(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: device.sandbox, environment: device.environment)
  }

  /// couchbaselabs/mobile-testkit#1110, couchbase/couchbase-lite-java-core#1617: the cookie of an earlier session was sent before
  /// the new one's, so that a good sign-in failed, or went on as the user from before.
  @Test func aStoredOldSessionCookieShadowsTheNewOne() throws {
    let device = try signedIn { $0.options.profiles = ["alice": "E-1", "bob": "E-2"] }
    try device.lab.gateway.addUser("bob", password: SecureBytes(publicText: Device.password))
    let old = try device.value("auth.sessionId")
    // The old one is alive at the gateway, and long enough in use to be sent anew.
    device.lab.clock.advance(by: 10_000)
    #expect(try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/users:alice").status == 0)
    #expect(try device.mfsctl("vault", "logout").status == 0)
    device.lab.clock.advance(by: -10_000)
    device.person["PERSON_USER"] = "bob"
    try #require(try device.login().status == 0)
    #expect(try device.value("auth.sessionId") != old && device.lab.gateway.sessionCount == 2)
    let own = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/users:bob")
    #expect(own.status == 0 && own.text.contains("E-2"), "\(own.errorText)")
    #expect(try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/users:alice").status == 63)
  }

  /// couchbase/couchbase-lite-net#919: tokens were refreshed at the start and at a reconnect only, so that who ran on was stuck.
  @Test func tokensAreRefreshedOnlyAtTheStart() throws {
    let device = try signedIn("EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC=3596")
    let watch = try background(device, "--json", "session", "watch")
    defer { watch.end() }
    // Due four seconds after the sign-in, while it runs.
    let said = watch.text(until: { $0.contains(#""reason":"refreshed""#) })
    #expect(said.contains(#""event":"credential","reason":"refreshed""#), "\(said) \(watch.errorText)")
    #expect(device.provider.count(of: .token) == 2)
  }

  /// couchbase/sync_gateway#1201: the gateway told of an expired session with 200, and that was taken for a living one.
  @Test func aStatusOf200IsTakenForALivingSession() throws {
    let device = try Device(strategy: "oidc_implicit") { $0.provider.options.idTokenLifetime = 10 }
    try #require(try device.login().status == 0)
    let status = try device.mfsctl("--json", "session", "fetch", "\(device.lab.origin)/mfs/_session")
    #expect(status.text.contains("alice"))
    device.lab.gateway.expireSessions()
    let dead = try device.mfsctl("--json", "session", "fetch", "\(device.lab.origin)/mfs/_session")
    #expect(dead.text.contains(#""status":200"#), "it says 200, and nobody's name: \(dead.text)")
    #expect(try device.mfsctl("session", "refresh").status == 61, "there is nothing alive to go on with")
  }

  /// couchbase/sync_gateway#1880, couchbase/couchbase-lite-ios#1293: tokens and codes were printed in logs, as parts of URLs.
  @Test func tokensAndCodesArePrintedInLogsThroughURLs() throws {
    let device = try Device { $0.provider.options.absent = [.deviceAuthorization] }
    try #require(try device.login().status == 0)
    let secrets = try ["auth.idToken", "auth.refreshToken", "auth.sessionId"].map { try device.value($0) }
    try device.mfsctl("--verbose", "session", "fetch", "\(device.lab.origin)/mfs/x?token=\(secrets[0])")
    try device.mfsctl("--verbose", "session", "logout")
    let log = try String(contentsOfFile: device.sandbox("home/state/session.log"), encoding: .utf8)
    for secret in secrets { #expect(!log.contains(secret) && !device.said.contains(secret)) }
    #expect(!log.contains("?") && !log.contains("code="), "of servers the origin alone")
  }

  /// logto-io/kotlin#253: a refresh under way during the sign-out wrote its tokens back, and the next start was signed in.
  @Test func aRefreshDuringTheSignOutWritesTokensBack() throws {
    let device = try signedIn()
    var slow = ProviderFault(.slow)
    (slow.endpoints, slow.delayMilliseconds) = ([.token], 1_500)
    device.provider.faults = [slow]
    let refresh = try background(device, "session", "refresh")
    #expect(device.wait { device.provider.count(of: .token) == 2 })
    #expect(try device.mfsctl("session", "logout").status == 0)
    #expect(refresh.wait() != 0)
    #expect(try device.names() == ["mfs.deviceId"])
    #expect(try device.mfsctl("session", "restore").status == 61)
    #expect(device.provider.liveSignIns == 0, "what came late is revoked")
  }

  /// HQBase/hqbase#41, cloudflare/workers-sdk#15136, auth0/react-native-auth0#1374: two processes refreshed with one rotating
  /// token at nearly the same moment; the provider took the second for theft and ended both.
  @Test func twoProcessesRefreshWithOneRotatingToken() throws {
    let device = try signedIn()
    let first = try background(device, "session", "refresh")
    usleep(13_000)
    let second = try background(device, "session", "refresh")
    #expect(first.wait() == 0 && second.wait() == 0, "\(first.errorText) \(second.errorText)")
    #expect(device.provider.liveSignIns == 1)
    #expect(try device.mfsctl("session", "refresh").status == 0, "the sign-in is alive")
  }

  /// int128/kubelogin#389 and #851: of two sign-ins at once one found its port in use, or hung without a word.
  @Test func parallelSignInsCollideOnThePortOrHang() throws {
    let device = try Device()
    let first = try background(device, "session", "login"), second = try background(device, "session", "login")
    let status = [first.wait(), second.wait()]
    #expect(status.contains(0) && status.allSatisfy { [0, 61].contains($0) }, "\(first.errorText) \(second.errorText)")
    let taken = try Device(strategy: "oidc_implicit")
    let port = try PythonServer(
      script: taken.sandbox.write(
        "taken.py",
        "import socket,sys\ns=socket.create_server((\"127.0.0.1\",0))\nprint(s.getsockname()[1],flush=True)\nsys.stdin.read()\n"
      ))
    let refused = try taken.login("--redirect-port", "\(port.port)")
    #expect(refused.status == 11 && refused.errorText.contains("another program listens on port \(port.port)"))
    #expect(taken.notes.isEmpty, "no page is opened whose answer could not come back")
  }

  /// cline/cline#8021, supabase/auth-js#710: no network during a refresh cleared the session, so a start offline signed out.
  @Test func aNetworkErrorInARefreshSignsOut() throws {
    let device = try signedIn()
    let names = try device.names()
    device.fail(.cutConnection)
    #expect(try device.mfsctl("session", "refresh").status == 62)
    try #require(
      try device.mfsctl("vault", "set", "auth.sessionExpiresAt", "--replace", input: "2020-01-01T00:00:00Z").status == 0
    )
    device.lab.stop()
    let restore = try device.mfsctl("--json", "session", "restore")
    #expect(restore.status == 62 && restore.text.contains(#""state":"offline""#), "\(restore.text)")
    #expect(try device.names() == names)
  }

  /// openid/AppAuth-iOS#264: a provider that dates `iat` five minutes back was refused to the second.
  @Test func anIssuingTimeFiveMinutesBackIsRefused() throws {
    let device = try Device()
    device.lab.clock.advance(by: -300)
    let login = try device.login()
    #expect(login.status == 0, "\(login.errorText)")
  }

  /// openid/AppAuth-Android#733: with the device's clock an hour ahead no sign-in worked, and nothing said why.
  @Test func aClockThatIsAnHourAheadFailsWithoutAWord() throws {
    let device = try Device()
    device.lab.clock.advance(by: -3_600)
    device.provider.options.idTokenLifetime = 3_000
    let login = try device.login()
    #expect(login.status == 63 && login.errorText.contains("clock"), "\(login.errorText)")
    device.provider.options.idTokenLifetime = 7_200
    let longer = try device.login()
    #expect(longer.status == 0, "a token that outlasts the difference is good: \(longer.errorText)")
  }

  /// memrynote/memry#839: a refresh token that was dead was tried 58 times in 47 minutes, and the app still showed a sign-in.
  @Test func aDeadRefreshTokenIsTriedAgainAndAgain() throws {
    // Due four seconds after the sign-in: the watch itself is who tries it.
    let device = try signedIn("EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC=3596")
    device.provider.endSignIns()
    let watch = try background(device, "--json", "session", "watch")
    #expect(watch.wait() == 61, "\(watch.errorText)")
    let told = watch.text
    #expect(told.contains(#""event":"signInNeeded""#) && !told.contains(#""event":"retry""#), "\(told)")
    let asked = device.provider.count(of: .token)
    #expect(asked == 2, "for the code, and once for the dead token")
    for _ in 0..<3 { #expect(try device.mfsctl("session", "refresh").status == 61) }
    #expect(device.provider.count(of: .token) == asked)
    #expect(try device.mfsctl("session", "status").text.contains("Sign-in needed"))
  }

  /// better-auth/better-auth#11278: 127.0.0.1 became localhost on the way, and the exchange failed because the redirects differed.
  @Test func theLoopbackAddressIsRewrittenToLocalhost() throws {
    let device = try signedIn()
    #expect(device.notes.last?.contains("http://127.0.0.1:") == true && !device.notes.joined().contains("localhost"))
    #expect(device.provider.count(of: .token) == 1, "the provider compares the two byte for byte")
    let other = try Device { $0.provider.options.redirects = ["http://localhost/callback"] }
    let login = try background(other, "session", "login")
    defer { login.end() }
    #expect(other.wait { other.notes.contains { $0.hasPrefix("400 ") } }, "localhost is another address")
  }
}
