import Foundation
import TestSupport
import Testing

/// `session login` at gateways that do not prove who they are.
@Suite struct TrustTests {
  // Prints its port, and notes each request that it could read.
  private static let server = """
    import socket, ssl, sys
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate", "private")
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        peer = listener.accept()[0]
        try:
            peer.settimeout(5)
            note = context.wrap_socket(peer, server_side=True).recv(4096)
        except (ssl.SSLError, OSError):
            note = b""
        with open("seen", "ab") as seen: seen.write(b"connection " + note + b"\\n")
        peer.close()
    """

  @Test(arguments: [
    ("an authority that nobody knows", ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]),
    ("another host's name", ["-subj", "/CN=other", "-addext", "subjectAltName=DNS:other.example.com"]),
    ("a time that is over", ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]),
  ])
  func nothingIsSentToOneWith(what: String, options: [String]) throws {
    let device = try DeviceBuild()
    let made = try run(
      Machine.faketime(what == "a time that is over" ? "-3d" : "+0")
        + ["openssl", "req", "-x509", "-days", "1", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        + ["-keyout", "private", "-out", "certificate"] + options, in: device.sandbox)
    try #require(made.status == 0, "\(made.errorText)")
    try device.sandbox.write(
      "server.py", "import os\nos.chdir(r'\(device.sandbox.path)')\n" + TrustTests.server)
    let server = try PythonServer(script: device.sandbox("server.py"))
    try device.settings(gateway: "wss://localhost:\(server.port)")
    let login = try device.login()
    #expect(login.status == 63, "\(what): \(login.errorText)")
    #expect(login.errorText.contains("cannot trust https://localhost:\(server.port)"), "\(login.errorText)")
    #expect(try device.names() == ["mfs.dbkey.main"])
    // It was reached, and saw no request.
    var seen = ""
    for _ in 0..<100 where seen.isEmpty {
      usleep(20_000)
      seen = (try? String(contentsOfFile: device.sandbox("seen"), encoding: .utf8)) ?? ""
    }
    #expect(!seen.isEmpty && seen.split(separator: "\n").allSatisfy { $0 == "connection " }, "\(seen)")
  }

  @Test func aGatewayWithoutTLSIsSaidToBe() throws {
    let device = try DeviceBuild()
    defer { device.lab.stop() }
    let server = try PlainServer(in: device.sandbox)
    try device.settings(gateway: "wss://127.0.0.1:\(server.port)")
    let login = try device.login()
    #expect(login.status == 63, "\(login.errorText)")
    #expect(login.errorText.contains("does not speak TLS there"), "\(login.errorText)")
    #expect(!login.errorText.contains("certificate"), "\(login.errorText)")
    #expect(try device.names() == ["mfs.dbkey.main"])
  }

  @Test func nothingIsSentToOneThatRedirectsElsewhere() throws {
    let device = try DeviceBuild(), other = WatchedPort()
    var scenario = device.lab.gateway.scenario
    scenario.faults = [.init(.redirect)]
    scenario.faults[0].location = "http://127.0.0.1:\(other.port)/mfs/_session"
    device.lab.gateway.scenario = scenario
    #expect(try device.login().status == 63)
    #expect(!other.wasReached)
    #expect(try device.names() == ["mfs.dbkey.main"])
  }
}
