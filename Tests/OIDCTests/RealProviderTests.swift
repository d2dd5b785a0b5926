import Foundation
import GatewayLab
import TestSupport
import Testing

/// Providers that nobody here wrote: Debian's glewlwyd, which is strict, and django-oauth-toolkit, which rotates.
@Suite(.serialized) struct RealProviderTests {
  /// A port that is free now: glewlwyd takes no other port than the one that is registered.
  private let port = DeadPort().port
  private var redirect: String { "http://127.0.0.1:\(port)/callback" }
  private let folder: Sandbox

  init() throws { folder = try Sandbox() }

  private static func resource(_ name: String) throws -> String {
    try #require(Bundle.module.path(forResource: name, ofType: "py", inDirectory: "Resources"))
  }

  private func glewlwyd(_ parameters: String = "{}") throws -> (PythonServer, issuer: String) {
    try #require(
      FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd"), "glewlwyd is missing: run 'make deps-test'")
    let server = try PythonServer(
      script: Self.resource("glewlwyd"),
      arguments: [folder("glewlwyd"), redirect, Device.password, parameters])
    return (server, "http://127.0.0.1:\(server.port)/api/oidc")
  }

  private func toolkit() throws -> (PythonServer, issuer: String) {
    let server = try PythonServer(
      script: Self.resource("toolkit"), arguments: [folder("toolkit"), redirect, Device.password],
      interpreter: PythonEnvironment().interpreter)
    return (server, "http://127.0.0.1:\(server.port)/o")
  }

  @discardableResult
  private func signIn(_ device: Device, _ issuer: String) throws -> RunResult {
    let login = try device.login("--redirect-port", "\(port)")
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(try device.names().isSuperset(of: ["auth.sessionId", "auth.idToken", "auth.refreshToken"]))
    return login
  }

  /// What a token endpoint answers to a refresh token: the status.
  private func status(of token: String, at endpoint: String) throws -> String {
    let ask = """
      import sys, urllib.error, urllib.parse, urllib.request
      form = {"grant_type": "refresh_token", "client_id": "mfs", "refresh_token": sys.stdin.read()}
      try:
          print(urllib.request.urlopen(sys.argv[1], urllib.parse.urlencode(form).encode(), timeout=20).status)
      except urllib.error.HTTPError as error:
          print(error.code)
      """
    return try run(["python3", "-c", ask, endpoint], in: folder, input: Data(token.utf8)).text
  }

  /// How many of its refresh tokens glewlwyd would take.
  private func liveTokens() throws -> String {
    let count = """
      import sqlite3, sys
      rows = sqlite3.connect(sys.argv[1], timeout=20).execute("select gpor_enabled from gpo_refresh_token").fetchall()
      print(sum(enabled == 1 for enabled, in rows))
      """
    return try run(["python3", "-c", count, folder("glewlwyd/g.db")], in: folder).text
  }

  /// A replay of the token from before: what a thief, or a process that was killed, would send.
  private func replayed(_ token: String, _ device: Device) throws {
    try #require(try device.mfsctl("vault", "set", "auth.refreshToken", "--replace", input: token).status == 0)
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 61, "\(refresh.errorText)")
    #expect(try device.names().isDisjoint(with: ["auth.refreshToken", "auth.sessionId", "auth.idToken"]))
  }

  @Test func glewlwydSignsInRefreshesAndRevokes() throws {
    let (server, issuer) = try glewlwyd()
    let device = try Device(issuer: issuer)
    try signIn(device, issuer)
    let first = try device.value("auth.refreshToken")
    // Its refresh answers have no ID token.
    for _ in 0..<2 {
      let refresh = try device.mfsctl("session", "refresh")
      #expect(refresh.status == 0, "\(refresh.errorText)")
    }
    let last = try device.value("auth.refreshToken")
    #expect(last != first)
    #expect(try liveTokens() == "1\n")
    // It lets only the holder of an access token revoke, for which a last refresh is made; what came of that is revoked too.
    let logout = try device.mfsctl("--json", "--verbose", "session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.text.contains(#""server":"told""#))
    #expect(logout.text.contains(#""revocation":"reached","endSession":"reached""#), "\(logout.text)")
    #expect(try liveTokens() == "0\n")
    try signIn(device, issuer)
    try replayed(last, device)
    _ = server
  }

  @Test func glewlwydEndsTheFamilyOfAReplayedToken() throws {
    let (server, issuer) = try glewlwyd()
    let device = try Device(issuer: issuer)
    try signIn(device, issuer)
    let first = try device.value("auth.refreshToken")
    #expect(try device.mfsctl("session", "refresh").status == 0)
    let second = try device.value("auth.refreshToken")
    try replayed(first, device)
    try signIn(device, issuer)
    try replayed(second, device)
    _ = server
  }

  /// It refuses a port that is not registered, in the browser only: whoever signs in is told at once what to do then.
  @Test func glewlwydsRegisteredPortIsAskedFor() throws {
    let (server, issuer) = try glewlwyd()
    let device = try Device(issuer: issuer)
    let login = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login"], in: device.sandbox, environment: device.environment)
    defer { login.end() }
    let said = login.errorText(until: { $0.contains("--redirect-port") })
    #expect(said.contains("If the provider's page refuses the address http://127.0.0.1:"), "\(said)")
    #expect(said.contains("register one there and give its port as --redirect-port"), "\(said)")
    #expect(device.wait { !device.notes.isEmpty })
    #expect(!device.notes.contains { $0.contains("/callback ") } && login.isRunning, "\(device.notes)")
    login.interrupt()
    #expect(login.wait() == 130)
    #expect(try device.names().isEmpty)
    _ = server
  }

  @Test func glewlwydsImplicitFlow() throws {
    let (server, issuer) = try glewlwyd()
    let device = try Device(issuer: issuer, strategy: "oidc_implicit")
    let login = try device.login("--redirect-port", "\(port)")
    #expect(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.mfsctl("session", "logout").status == 0)
    _ = server
  }

  @Test func theToolkitSignsInRefreshesAndSignsOut() throws {
    let (server, issuer) = try toolkit()
    let device = try Device(issuer: issuer)
    // Its users are numbers, and no claim has their names.
    let login = try signIn(device, issuer)
    #expect(login.text.contains(#""identifier":"1""#), "\(login.text)")
    let first = try device.value("auth.refreshToken")
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 0, "\(refresh.errorText)")
    #expect(try device.value("auth.refreshToken") != first)
    // Its metadata name no place to revoke at, nor do the settings.
    let logout = try device.mfsctl("--json", "--verbose", "session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.errorText.contains("names no revocation endpoint"))
    #expect(logout.text.contains(#""revocation":"not-offered","endSession":"reached""#), "\(logout.text)")
    _ = server
  }

  @Test func theToolkitEndsTheFamilyOfAReplayedToken() throws {
    let (server, issuer) = try toolkit()
    let device = try Device(issuer: issuer)
    try signIn(device, issuer)
    let first = try device.value("auth.refreshToken")
    #expect(try device.mfsctl("session", "refresh").status == 0)
    let second = try device.value("auth.refreshToken")
    // The second has not been used, and would be good but for the replay.
    try replayed(first, device)
    try signIn(device, issuer)
    try replayed(second, device)
    _ = server
  }

  /// Without the browser, since the page that ends its own session also deletes the person's tokens.
  @Test(arguments: [false, true]) func theToolkitRevokesWhereTheSettingsSay(doSay: Bool) throws {
    let (server, issuer) = try toolkit()
    let device = try Device(issuer: issuer)
    if doSay {
      try device.settings(issuer: issuer, more: "EXPO_PUBLIC_OIDC_REVOCATION_ENDPOINT=\(issuer)/revoke_token/")
    }
    try signIn(device, issuer)
    #expect(try device.mfsctl("session", "refresh").status == 0)
    let last = try device.value("auth.refreshToken")
    let logout = try device.mfsctl("--json", "--verbose", "session", "logout", "--no-browser")
    #expect(logout.status == 0, "\(logout.errorText)")
    let revocation = doSay ? "reached" : "not-offered"
    #expect(logout.text.contains(#""revocation":"\#(revocation)","endSession":"skipped""#), "\(logout.text)")
    // It has not been used: but for the revocation it gets new tokens.
    #expect(try status(of: last, at: "\(issuer)/token/") == (doSay ? "400\n" : "200\n"))
    _ = server
  }

  /// Its metadata offer the implicit flow, and it refuses it to a client that is registered for codes.
  @Test func theToolkitSaysThatItRefusesTheImplicitFlow() throws {
    let (server, issuer) = try toolkit()
    let device = try Device(issuer: issuer, strategy: "oidc_implicit")
    let login = try device.login("--redirect-port", "\(port)")
    #expect(login.status == 63 && login.errorText.contains("unauthorized_client"), "\(login.errorText)")
    #expect(try device.names().isEmpty)
    _ = server
  }
}
