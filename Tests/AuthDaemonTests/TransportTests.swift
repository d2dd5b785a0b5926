import Foundation
import TestSupport
import Testing

@Suite struct TransportTests {
  /// A certificate of our own for 127.0.0.1, and a server with it.
  private func daemon() throws -> Daemon {
    let daemon = try Daemon([
      "MFS_AUTHD_ISSUER: https://127.0.0.1:8480", "MFS_AUTHD_TLS_CERTIFICATE: cert.pem", "MFS_AUTHD_TLS_KEY: key.pem",
    ])
    let made = try run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        "key.pem",
        "-out", "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
      ], in: daemon.sandbox)
    #expect(made.status == 0, "\(made.errorText)")
    return daemon
  }

  @Test(arguments: ["1.2", "1.3"]) func tlsIsSpoken(version: String) throws {
    let daemon = try daemon()
    try daemon.serve()
    #expect(daemon.origin.hasPrefix("https://127.0.0.1:"))
    let answer = try daemon.get(
      daemon.origin + "/.well-known/jwks.json", "--cacert", "cert.pem", "--tlsv\(version)", "--tls-max", version)
    #expect(answer.status == 0 && answer.text.contains("\"keys\":["), "\(answer.errorText)")
    // Without the certificate nobody is believed.
    #expect(try daemon.get(daemon.origin + "/readyz").status == 60)
    #expect(try daemon.stop().status == 0)
  }

  @Test func nothingElseIsSpoken() throws {
    let daemon = try daemon()
    try daemon.serve()
    let clear = daemon.origin.replacingOccurrences(of: "https:", with: "http:")
    #expect(try daemon.get(clear + "/readyz").status != 0)
    let old = try daemon.get(
      daemon.origin + "/readyz", "--cacert", "cert.pem", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0")
    #expect(old.status == 35, "\(old.errorText)")
  }

  @Test func anIdentityThatDoesNotFitIsRefused() throws {
    let daemon = try daemon()
    let other = try run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem"], in: daemon.sandbox)
    #expect(other.status == 0)
    let refused = try daemon.admin("serve", status: 3)
    #expect(refused.errorText.contains("the TLS certificate and its key cannot be used"))
    try daemon.sandbox.write("key.pem", "nothing", mode: 0o600)
    try daemon.admin("serve", status: 3)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: daemon.sandbox("key.pem"))
    try daemon.admin("serve", status: 40)
  }
}
