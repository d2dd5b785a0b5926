import Foundation
import TestSupport
import Testing

/// A sign-in at an identity provider that is recorded: no code, verifier, nonce, token or cookie is in the file.
@Suite struct RecordedSignInTests {
  @Test(arguments: ["oidc_code", "oidc_implicit"]) func noSecretIsInTheRecording(strategy: String) throws {
    let device = try Device(strategy: strategy)
    defer { device.lab.stop() }
    let login = try device.login("--record", "rec")
    try #require(login.status == 0, "\(login.errorText)")
    let text = try String(contentsOfFile: device.sandbox("rec"), encoding: .utf8)
    var secrets = [Device.password, "alice"]
    for name in try device.names() where name.hasPrefix("auth.") || name == "mfs.deviceId" {
      if ["auth.strategy", "auth.cookieName"].contains(name) || name.hasSuffix("ExpiresAt") { continue }
      secrets.append(try device.value(name))
    }
    try #require(secrets.count >= 7)
    for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
    // Nor anything else that could be one: but for the plugin's digest, nothing random is as long as a code or a nonce.
    let rest = text.replacing(/"digest":"blake2b-256:[0-9a-f]{64}"/, with: "")
    for found in rest.matches(of: /[A-Za-z0-9+\/_\-]{16,}/) where found.output.contains(where: \.isNumber) {
      #expect(found.output.contains("/") || found.output.hasPrefix("MASKED"), "\(found.output)")
    }
    #expect(text.contains(#""name":"browserAuthorize""#) && text.contains(#""name":"oidcVerify""#))
    let vault = try Data(contentsOf: URL(fileURLWithPath: device.sandbox("home/data/vault/default.mfsv")))
    device.lab.stop()
    let replayed = try run(["mfsctl", "session", "login", "--replay", "rec"], in: device.sandbox)
    #expect(replayed.status == 0, "\(replayed.text)\(replayed.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: device.sandbox("home/data/vault/default.mfsv"))) == vault)
  }
}
