import Foundation
import GatewayLab
import TestSupport
import Testing

/// Getting new tokens without a person, while the provider rotates, forgets, fails, or is asked by many at once.
@Suite struct RefreshTests {
  private func signedIn(_ change: (inout Scenario) -> Void = { _ in }) throws -> Device {
    let device = try Device(change)
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText)")
    return device
  }

  @Test func aProviderThatGivesNoNewTokenKeepsTheOldOne() throws {
    let device = try signedIn { $0.provider.options.rotatesRefreshTokens = false }
    let before = try device.value("auth.refreshToken")
    for _ in 0..<2 { #expect(try device.mfsctl("session", "refresh").status == 0) }
    #expect(try device.value("auth.refreshToken") == before)
  }

  @Test func aRefreshWithoutAnIDTokenUsesTheOneFromBefore() throws {
    let device = try signedIn { $0.provider.options.refreshBringsIDToken = false }
    let before = (try device.value("auth.sessionId"), try device.value("auth.refreshToken"))
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.value("auth.sessionId") != before.0)
    #expect(try device.value("auth.refreshToken") != before.1)
  }

  @Test func withoutAnIDTokenTheSessionIsKeptWhileItIsGood() throws {
    let device = try signedIn {
      $0.provider.options.refreshBringsIDToken = false
      $0.provider.options.idTokenLifetime = 10
    }
    let before = try device.value("auth.sessionId")
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 0, "\(refresh.errorText)")
    #expect(try device.value("auth.sessionId") == before)
  }

  @Test(arguments: [false, true]) func aTokenThatTheProviderRejectsEndsTheSignIn(withoutBody: Bool) throws {
    let device = try signedIn { $0.provider.options.rejectsRefreshWithoutBody = withoutBody }
    device.provider.endSignIns()
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 61, "\(refresh.errorText)")
    let names = try device.names()
    #expect(names.isDisjoint(with: ["auth.refreshToken", "auth.idToken", "auth.sessionId"]), "\(names)")
    #expect(names.contains("mfs.deviceId"))
  }

  @Test(arguments: [
    ProviderFault.Kind.internalError, .unavailable, .tooManyRequests, .cutConnection, .cutAnswer, .garbage, .hugeBody,
  ])
  func troubleOfTheProvidersKeepsEverything(kind: ProviderFault.Kind) throws {
    let device = try signedIn()
    let before = try device.value("auth.refreshToken")
    device.fail(kind, at: [.token])
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 62, "\(refresh.errorText)")
    #expect(try device.names() == CodeFlowTests.everything)
    #expect(try device.value("auth.refreshToken") == before)
    device.provider.faults = []
    // The token that an answer brought which was cut is nobody's, and the one before it counts as stolen when it comes again.
    #expect(try device.mfsctl("session", "refresh").status == (kind == .cutAnswer ? 61 : 0))
    #expect(device.provider.liveSignIns == (kind == .cutAnswer ? 0 : 1))
  }

  /// The provider has taken the old token and given a new one; then the gateway fails. The new one must not be lost.
  @Test func aRotatedTokenIsStoredBeforeItsSessionIsThere() throws {
    let device = try signedIn()
    let before = try device.value("auth.refreshToken")
    var scenario = device.lab.gateway.scenario
    scenario.faults = [Fault(.databaseOffline)]
    device.lab.gateway.scenario = scenario
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 62, "\(refresh.errorText)")
    #expect(try device.value("auth.refreshToken") != before)
    scenario.faults = []
    device.lab.gateway.scenario = scenario
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(device.provider.liveSignIns == 1)
  }

  /// A gateway says 401 to a good ID token when it could not reach the provider just then: it is asked once more, a moment
  /// later, by a refresh, by a restore of a session that has ended, and after the replicator's 401.
  @Test(arguments: [["refresh"], ["restore"], ["auth-failure", "--code", "401"]])
  func aGoodTokenThatIsRejectedOnceIsShownOnceMore(command: [String]) throws {
    let device = try signedIn()
    let past = "2020-01-01T00:00:00Z"
    try #require(
      try device.mfsctl("vault", "set", "auth.sessionExpiresAt", "--replace", input: past).status == 0)
    var fault = Fault(.unauthorized)
    fault.operations = [.sessionCreate]
    fault.times = 1
    var scenario = device.lab.gateway.scenario
    scenario.faults = [fault]
    device.lab.gateway.scenario = scenario
    let result = try device.run(["--verbose", "session"] + command)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("asked once more in two seconds"), "\(result.errorText)")
    #expect(device.provider.count(of: .token) == 2)
  }

  @Test func newTokensForAnotherUserAreNotTaken() throws {
    let device = try signedIn()
    let before = try device.value("auth.idToken")
    device.fail(.wrongSubject)
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 63, "\(refresh.errorText)")
    #expect(try device.value("auth.idToken") == before)
    device.provider.faults = []
    #expect(try device.mfsctl("session", "refresh").status == 0, "the token that came along was kept")
  }

  /// Of many at once one asks the provider, and the others use what it got: more than one would look like theft.
  @Test func manyAtOnceAreOneRefresh() throws {
    let device = try signedIn()
    let asked = device.provider.count(of: .token)
    // The answer takes long enough for all of them to have started, on a busy machine too.
    var slow = ProviderFault(.slow)
    (slow.endpoints, slow.delayMilliseconds) = ([.token], 10_000)
    device.provider.faults = [slow]
    let started = try (0..<32).map { _ in
      try Background(
        [Programs.buildFolder + "/mfsctl", "--quiet", "session", "refresh"], in: device.sandbox,
        environment: device.environment)
    }
    #expect(started.map { $0.wait() } == [Int32](repeating: 0, count: 32))
    #expect(device.provider.count(of: .token) - asked == 1)
    #expect(device.provider.liveSignIns == 1)
    device.provider.faults = []
    #expect(try device.mfsctl("session", "refresh").status == 0)
  }

  /// Told to end while the provider answers: what it gives is stored first, as the sample unit says.
  @Test func aWatchThatIsToldToEndFinishesItsRefresh() throws {
    // Due four seconds after the sign-in.
    let device = try Device(more: "EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC=3596")
    try #require(try device.login().status == 0)
    let before = try device.value("auth.refreshToken"), asked = device.provider.count(of: .token)
    var slow = ProviderFault(.slow)
    (slow.endpoints, slow.delayMilliseconds) = ([.token], 4_000)
    device.provider.faults = [slow]
    let watch = try Background(
      [Programs.buildFolder + "/mfsctl", "--json", "session", "watch"], in: device.sandbox,
      environment: device.environment)
    #expect(device.wait { device.provider.count(of: .token) > asked })
    watch.send(SIGTERM)
    #expect(watch.wait() == 0, "\(watch.errorText)")
    #expect(watch.text.contains(#""reason":"refreshed""#), "\(watch.text)\(watch.errorText)")
    #expect(try device.value("auth.refreshToken") != before)
    device.provider.faults = []
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(device.provider.count(of: .token) == asked + 2 && device.provider.liveSignIns == 1)
  }

  /// Signed out while the provider answers: nothing is written back, and the new token is revoked.
  @Test func aRefreshThatLandsAfterTheSignOutIsDropped() throws {
    let device = try signedIn()
    var slow = ProviderFault(.slow)
    slow.endpoints = [.token]
    slow.delayMilliseconds = 2_000
    device.provider.faults = [slow]
    let asked = device.provider.count(of: .token)
    let refresh = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "refresh"], in: device.sandbox, environment: device.environment)
    #expect(device.wait { device.provider.count(of: .token) > asked })
    #expect(try device.mfsctl("vault", "logout").status == 0)
    #expect(refresh.wait() != 0)
    #expect(try device.names() == ["mfs.deviceId"])
    #expect(device.provider.count(of: .revoke) == 1)
    #expect(device.provider.liveSignIns == 0)
  }
}
