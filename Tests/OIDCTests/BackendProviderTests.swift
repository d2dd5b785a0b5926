import Foundation
import TestSupport
import Testing

/// The mobile auth backend as the identity provider, as `lab up --idp backend` runs it.
@Suite struct BackendProviderTests {
  /// The lab's ready line.
  private struct Ready: Decodable {
    let idp: String
    let clientId: String
    let gateway: String
  }

  private func start(in sandbox: Sandbox, _ options: String...) throws -> (Background, Ready) {
    try sandbox.write("lab-password", Device.password)
    chmod(sandbox("lab-password"), 0o600)
    let lab = try Background(
      ["mfsctl", "lab", "up", "--idp", "backend", "--user", "alice:lab-password"] + options, in: sandbox,
      // Where a lab that is killed leaves what it can no longer remove.
      environment: ["TMPDIR": sandbox.path])
    let line = lab.text { $0.hasSuffix("\n") }
    try #require(line.hasSuffix("\n"), "\(lab.errorText)")
    return (lab, try JSONDecoder().decode(Ready.self, from: Data(line.utf8)))
  }

  /// What a token endpoint answers to a refresh token of a device's.
  private func answer(to token: String, of device: Device, at issuer: String) throws -> String {
    let id = try device.value("mfs.deviceId")
    return try run(
      ["curl", "--silent", "--config", "-", "\(issuer)/oauth/token"], in: device.sandbox,
      input: Data("data = \"grant_type=refresh_token&client_id=mfs&device_id=\(id)&refresh_token=\(token)\"\n".utf8)
    ).text
  }

  @Test func aSignInRefreshesAndARefreshTokenThatComesBackEndsIt() throws {
    let sandbox = try Sandbox(), (lab, ready) = try start(in: sandbox)
    let device = try Device(issuer: ready.idp)
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes) \(lab.errorText)")
    let first = try device.value("auth.refreshToken")
    try #require(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.value("auth.refreshToken") != first)
    #expect(try answer(to: first, of: device, at: ready.idp).contains(#""error":"invalid_grant""#))
    #expect(try device.mfsctl("session", "refresh").status == 61)
    // It was a thief, for all that the server can know: somebody should hear of it.
    #expect(lab.errorText { $0.contains(#""event":"refresh.refused","reason":"replay""#) }.contains("replay"))
    for secret in [first, Device.password] { #expect(!lab.errorText.contains(secret)) }
  }

  /// What the profile at the gateway says is in the token too.
  @Test func theEmployeeIsKnown() throws {
    let sandbox = try Sandbox()
    try sandbox.write("lab.yaml", "version: 1\nprofiles: {alice: \"4711\"}\n")
    let (lab, ready) = try start(in: sandbox, "--scenario", "lab.yaml")
    let device = try Device(issuer: ready.idp)
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes) \(lab.errorText)")
    #expect(login.text.contains(#""employeeId":"4711""#), "\(login.text)")
    #expect(try device.value("auth.employeeId") == "4711")
    #expect(try payload(of: device.value("auth.idToken")).contains(#""employeeId":"4711""#))
    try #require(try device.mfsctl("session", "refresh").status == 0)
    #expect(try payload(of: device.value("auth.idToken")).contains(#""employeeId":"4711""#))
    let profile = try run(
      ["curl", "--silent", "--config", "-", "\(ready.gateway)/mfs/users:alice"], in: sandbox,
      input: Data("user = \"alice:\(Device.password)\"\n".utf8))
    #expect(profile.text.contains(#""employeeId":"4711""#), "\(profile.text)")
  }

  private func payload(of token: String) throws -> String {
    let parts = token.split(separator: ".")
    try #require(parts.count == 3)
    let text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
  }

  @Test func aSignOutRevokes() throws {
    let sandbox = try Sandbox(), (lab, ready) = try start(in: sandbox)
    let device = try Device(issuer: ready.idp)
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes) \(lab.errorText)")
    let token = try device.value("auth.refreshToken")
    let logout = try device.mfsctl("session", "logout", "--json")
    #expect(logout.status == 0 && logout.text.contains(#""revocation":"reached""#), "\(logout.text)")
    #expect(try answer(to: token, of: device, at: ready.idp).contains(#""error":"invalid_grant""#))
  }

  /// The server goes with the lab, however that ends; what it kept does when the lab is asked to end.
  @Test(arguments: [SIGTERM, SIGKILL])
  func nothingOfItStays(_ signal: Int32) throws {
    let sandbox = try Sandbox(), (lab, ready) = try start(in: sandbox)
    lab.send(signal)
    _ = lab.wait()
    var status = "200"
    for _ in 0..<200 where status != "000" {
      status = try run(
        ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", ready.idp + "/healthz"],
        in: sandbox
      ).text
      if status != "000" { usleep(20_000) }
    }
    #expect(status == "000", "the server goes on")
    let kept = try FileManager.default.contentsOfDirectory(atPath: sandbox.path).filter { $0.hasPrefix("mfsctl-lab-") }
    #expect(kept.isEmpty == (signal == SIGTERM), "\(kept)")
  }
}
