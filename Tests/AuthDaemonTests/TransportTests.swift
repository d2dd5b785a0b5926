import Basics
import Foundation
import SecureMemory
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TransportTests {
  /// A certificate of our own for 127.0.0.1, and a server with it.
  private func daemon() throws -> Daemon {
    let daemon = try Daemon([
      "MFS_AUTHD_ISSUER: https://127.0.0.1:8480", "MFS_AUTHD_TLS_CERTIFICATE: cert.pem", "MFS_AUTHD_TLS_KEY: key.pem",
    ])
    try certificate(daemon, "cert.pem", "key.pem")
    return daemon
  }

  /// Makes a certificate for 127.0.0.1 that is its own authority, and its key.
  private func certificate(_ daemon: Daemon, _ file: String, _ key: String, isRSA: Bool = false) throws {
    let kind = isRSA ? ["rsa:2048"] : ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    let made = try run(
      ["openssl", "req", "-x509", "-newkey"] + kind + [
        "-nodes", "-keyout", key, "-out", file, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
        "subjectAltName=IP:127.0.0.1",
      ], in: daemon.sandbox)
    #expect(made.status == 0, "\(made.errorText)")
  }

  /// Puts a pair where the server reads it.
  private func put(_ daemon: Daemon, _ certificate: String, _ key: String) throws {
    for (from, to) in [(certificate, "cert.pem"), (key, "key.pem")] {
      let text = try String(contentsOfFile: daemon.sandbox(from), encoding: .utf8)
      try daemon.sandbox.write(to, text, mode: 0o600)
    }
  }

  /// Sends SIGHUP, and waits until the log says that what came of it came so often.
  private func reload(_ daemon: Daemon, _ event: String, count: Int = 1) throws {
    let process = try #require(daemon.process)
    process.send(SIGHUP)
    func times(_ log: String) -> Int { log.components(separatedBy: "\"event\":\"\(event)\"").count - 1 }
    #expect(times(process.errorText { times($0) >= count }) == count, "\(process.errorText)")
  }

  @Test func aNewCertificateIsShownAfterSIGHUP() throws {
    let daemon = try daemon()
    for (name, isRSA) in [("one", true), ("two", false), ("three", false)] {
      try certificate(daemon, name + ".pem", name + ".key", isRSA: isRSA)
    }
    try put(daemon, "one.pem", "one.key")
    try daemon.serve()
    // What is shown is what a client that trusts nothing else believes.
    func isShown(_ name: String) throws -> Bool {
      try ["1.2", "1.3"].map { version in
        try daemon.get(
          daemon.origin + "/healthz", "--cacert", name + ".pem", "--tlsv\(version)", "--tls-max", version
        ).status
      } == [0, 0]
    }
    #expect(try isShown("one") && !isShown("two"))
    let kept = try Background(
      ["/usr/bin/python3", Daemon.peer("tls.py"), "keep", daemon.origin, "one.pem", "go-on"], in: daemon.sandbox)
    #expect(kept.text { $0.hasSuffix("\n") } == "200\n", "\(kept.errorText)")

    try put(daemon, "two.pem", "two.key")
    #expect(try isShown("one"))
    try reload(daemon, "tls.read")
    #expect(try isShown("two") && !isShown("one"))
    // A connection that was open goes on as it was.
    try daemon.sandbox.write("go-on", "")
    #expect(kept.wait() == 0 && kept.text == "200\n200 True\n", "\(kept.text) \(kept.errorText)")

    // A key of another's, no certificate, a key that others can read, none at all: each is an alert, and nothing changes.
    let bad: [() throws -> Void] = [
      { try self.put(daemon, "three.pem", "one.key") },
      { try daemon.sandbox.write("cert.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") },
      {
        try self.put(daemon, "three.pem", "three.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: daemon.sandbox("key.pem"))
      },
      { try FileManager.default.removeItem(atPath: daemon.sandbox("key.pem")) },
    ]
    for (index, spoil) in bad.enumerated() {
      try spoil()
      try reload(daemon, "tls.failed", count: index + 1)
      #expect(try isShown("two") && !isShown("three"))
    }
    try put(daemon, "three.pem", "three.key")
    try reload(daemon, "tls.read", count: 2)
    #expect(try isShown("three"))
    let (status, log) = try daemon.stop()
    #expect(status == 0)
    let failed = try Daemon.lines(log).filter { $0["event"] as? String == "tls.failed" }
    // Within a minute they are one alert, and lines of the log.
    #expect(failed.count == bad.count && failed.first?["level"] as? String == "alert")
    #expect(failed.contains { $0["level"] as? String == "info" })
    #expect((failed.first?["failure"] as? String)?.contains("the TLS certificate and its key cannot be used") == true)
    #expect(!log.contains("PRIVATE KEY"))
  }

  /// Handshakes are at it whenever the pair is replaced; none fails.
  @Test func handshakesGoOnWhileThePairIsReplaced() throws {
    let daemon = try daemon()
    try certificate(daemon, "one.pem", "one.key")
    try certificate(daemon, "two.pem", "two.key")
    let both = try ["one.pem", "two.pem"].map { try String(contentsOfFile: daemon.sandbox($0), encoding: .utf8) }
    try daemon.sandbox.write("both.pem", both.joined())
    try put(daemon, "one.pem", "one.key")
    try daemon.serve()
    let clients = try (0..<2).map { _ in
      try Background(
        ["/usr/bin/python3", Daemon.peer("tls.py"), "connect", daemon.origin, "both.pem", "150"], in: daemon.sandbox)
    }
    var count = 0
    repeat {
      let name = count % 2 == 0 ? "two" : "one"
      try put(daemon, name + ".pem", name + ".key")
      count += 1
      try reload(daemon, "tls.read", count: count)
      // How many there are while the clients are at it depends on the machine.
    } while count < 4 || count < 200 && clients.contains { $0.isRunning }
    for client in clients { #expect(client.wait() == 0 && client.text == "150\n", "\(client.errorText)") }
    #expect(try daemon.stop().status == 0)
  }

  /// A pair that was replaced stays as long as a handshake may be at it, and no longer.
  @Test func replacedPairsAreFreed() throws {
    let daemon = try daemon()
    try certificate(daemon, "one.pem", "one.key")
    func identity(_ certificate: String, _ key: String) throws -> ServerIdentity {
      try ServerIdentity(certificateFile: daemon.sandbox(certificate), keyFile: daemon.sandbox(key))
    }
    let shown = ShownIdentity()
    #expect(shown.current == 0)
    try shown.show(identity("one.pem", "one.key"), handshakeSeconds: 60)
    let first = shown.current
    #expect(first != 0 && shown.replaced == 0)
    for count in 1...3 {
      try shown.show(identity("cert.pem", "key.pem"), handshakeSeconds: 60)
      #expect(shown.replaced == count && shown.current != first)
    }
    let last = shown.current
    let bad = try identity("cert.pem", "one.key")
    #expect(throws: Failure.self) { try shown.show(bad, handshakeSeconds: 1) }
    #expect(shown.replaced == 3 && shown.current == last)
    usleep(1_100_000)
    try shown.show(identity("one.pem", "one.key"), handshakeSeconds: 1)
    #expect(shown.replaced == 1)
    try shown.show(identity("cert.pem", "key.pem"), handshakeSeconds: 0)
    #expect(shown.replaced == 2)
  }

  @Test func withoutTLSThereIsNothingToRead() throws {
    let daemon = try Daemon()
    try daemon.serve()
    try reload(daemon, "tls.none")
    #expect(try daemon.get(daemon.origin + "/readyz").text == "ready\n")
    #expect(try daemon.stop().status == 0)
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
