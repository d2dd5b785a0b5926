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

  /// Browsers that were here by TLS come by nothing else any more; a server in the clear cannot say so.
  @Test func browsersAreToldToComeByTLS() throws {
    let field = "Strict-Transport-Security: max-age=63072000"
    let daemon = try daemon()
    try daemon.serve()
    for path in ["/authorize", "/healthz", "/nothing", "/.well-known/jwks.json"] {
      let answer = try daemon.get(daemon.origin + path, "--cacert", "cert.pem", "--include")
      #expect(answer.text.components(separatedBy: field).count == 2, "\(path)")
    }
    let token = try daemon.get(
      daemon.origin + "/oauth/token", "--cacert", "cert.pem", "--include", "--data", "client_id=mobile")
    #expect(token.text.components(separatedBy: field).count == 2)
    let clear = try Daemon()
    try clear.serve()
    #expect(try !clear.get(clear.origin + "/authorize", "--include").text.contains("Strict-Transport"))
  }

  /// One address cannot take all connections from the others, unless it is a proxy, which speaks for many.
  @Test(arguments: [false, true]) func oneAddressLeavesRoomForOthers(isProxy: Bool) throws {
    let daemon = try Daemon(
      ["MFS_AUTHD_CONNECTIONS: 400"] + (isProxy ? ["MFS_AUTHD_TRUSTED_PROXIES: [127.0.0.1]"] : []))
    try daemon.serve()
    let program = """
      import socket, sys, time
      host, port = sys.argv[1][7:].split(":")
      held = []
      for _ in range(390):
          s = socket.create_connection((host, int(port)), timeout=5)
          s.send(b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\nX: ")
          held.append(s)
      time.sleep(1)
      open_ = 0
      for s in held:
          s.setblocking(False)
          try:
              open_ += 1 if s.recv(1) else 0
          except BlockingIOError:
              open_ += 1
          except OSError:
              pass
      other = socket.create_connection((host, int(port)), timeout=5, source_address=("127.0.0.9", 0))
      other.send(b"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
      print(open_, other.recv(100)[:12].decode())
      """
    let result = try run(["/usr/bin/python3", "-c", program, daemon.origin], in: daemon.sandbox)
    #expect(result.text == (isProxy ? "390 HTTP/1.1 200\n" : "256 HTTP/1.1 200\n"), "\(result.errorText)")
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
