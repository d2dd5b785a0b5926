import Foundation
import TestSupport
import Testing

/// oidc-provider-mock, a provider that checks little and does not keep to the rules: what of that can be seen is said.
@Suite struct MockProviderTests {
  private func mock(_ arguments: String...) throws -> (PythonServer, Device) {
    let script = try #require(Bundle.module.path(forResource: "mock", ofType: "py", inDirectory: "Resources"))
    let server = try PythonServer(
      script: script, arguments: arguments, interpreter: PythonEnvironment().interpreter)
    return (server, try Device(issuer: "http://127.0.0.1:\(server.port)"))
  }

  /// It gives codes to whoever asks and tokens to clients with a secret only.
  @Test func whoWantsASecretIsToldOf() throws {
    let (server, device) = try mock()
    let login = try device.login()
    #expect(login.status == 63, "\(login.errorText)")
    #expect(login.errorText.contains("refuses this client (invalid_client"), "\(login.errorText)")
    #expect(try device.names().isEmpty)
    _ = server
  }

  /// It ignores PKCE, which its metadata tell by their silence, names no key in its tokens, wants a client with a secret for a
  /// refresh, and has no place to revoke at.
  @Test func whatItLeavesOutIsSaid() throws {
    let (server, device) = try mock("public")
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(login.errorText.contains("does not say that it checks PKCE"), "\(login.errorText)")
    #expect(login.errorText.contains("names no key"), "\(login.errorText)")
    let before = try device.names()
    let refresh = try device.mfsctl("session", "refresh")
    #expect(refresh.status == 63, "\(refresh.errorText)")
    #expect(refresh.errorText.contains("refuses this client (invalid_client"), "\(refresh.errorText)")
    #expect(try device.names() == before, "what is wrong with the client costs nobody the sign-in")
    let logout = try device.mfsctl("--json", "session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.text.contains(#""revocation":"not-offered","endSession":"reached""#), "\(logout.text)")
    _ = server
  }

  /// It says that a person refused without the state: anybody could have sent that, so it is not taken, and that is said.
  @Test func aRefusalWithoutAStateIsNotTakenAndSaidSo() throws {
    let (server, device) = try mock()
    device.person["PERSON_REFUSES"] = "1"
    let login = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login"], in: device.sandbox, environment: device.environment)
    defer { login.end() }
    let said = login.errorText(until: { $0.contains("does not name this sign-in") })
    #expect(said.contains("came back with an error that does not name this sign-in"), "\(said) \(device.notes)")
    #expect(said.contains("end this with Ctrl-C") && login.isRunning)
    login.interrupt()
    #expect(login.wait() == 130)
    #expect(try device.names().isEmpty)
    _ = server
  }

  /// Its `scope` must be asked for, and it has one response type.
  @Test func whatItDoesNotOfferIsNotTried() throws {
    let (server, device) = try mock()
    try device.settings(strategy: "oidc_implicit", issuer: "http://127.0.0.1:\(server.port)")
    let login = try device.login()
    #expect(login.status == 63 && login.errorText.contains("does not offer the response type 'id_token'"))
    #expect(device.notes.isEmpty)
  }
}
