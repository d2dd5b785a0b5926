import HTTPClient
import Replication
import TestSupport
import Testing

/// What a replicator makes of certificates: each has a number of its own, and none of them passes.
@Suite("A certificate that is not trusted stops a replicator") struct TrustTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try openssl("req", "-x509", "-subj", "/CN=authority", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem")
  }

  private func openssl(_ command: String, _ arguments: String...) throws {
    let key = command == "req" ? ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"] : []
    let made = try run(["openssl", command] + key + arguments, in: sandbox)
    try #require(made.status == 0, "the test needs openssl: \(made.errorText)")
  }

  /// A server for `host` whose certificate is of the authority and lasts so many days.
  private func server(host: String = "127.0.0.1", days: Int = 2) throws -> PythonServer {
    try openssl("req", "-subj", "/CN=server", "-keyout", "key.pem", "-out", "server.csr")
    try sandbox.write("names", "subjectAltName=IP:\(host)\n")
    try openssl(
      "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "\(days)",
      "-extfile", "names", "-out", "cert.pem")
    return try scriptedServer(
      "HTTP/1.1 401 x\\r\\nContent-Length: 0\\r\\n\\r\\n", certificate: (sandbox("cert.pem"), sandbox("key.pem")))
  }

  private func code(_ server: PythonServer, trusting file: String?) throws -> Int? {
    try withExtendedLifetime(server) { try code(server.port, trusting: file) }
  }

  private func code(_ port: UInt16, trusting file: String?) throws -> Int? {
    var client = HTTPClient()
    client.authorities = file
    let endpoint = try #require(ReplicationEndpoint(gateway: "wss://127.0.0.1:\(port)", database: "mfs"))
    let error = try ReplicationSocket.open(endpoint, fields: [], client: client).error
    // Only what the gateway itself says has a status.
    #expect(error?.disposition == .permanent && error?.needsRestart == false, "\(String(describing: error))")
    return error?.sdkCode
  }

  @Test func aTrustedGatewayIsHeard() throws {
    #expect(try code(try server(), trusting: sandbox("ca.pem")) == 10_401)
  }

  @Test func anUnknownAuthority() throws {
    #expect(try code(try server(), trusting: nil) == 5_011)
  }

  @Test func anotherHost() throws {
    #expect(try code(try server(host: "127.0.0.2"), trusting: sandbox("ca.pem")) == 5_015)
  }

  @Test func aTimeThatIsOver() throws {
    #expect(try code(try server(days: -1), trusting: sandbox("ca.pem")) == 5_007)
  }

  @Test func noTLSAtAll() throws {
    let server = try PlainServer(in: sandbox)
    #expect(try code(server.port, trusting: sandbox("ca.pem")) == 5_006)
    let endpoint = try #require(ReplicationEndpoint(gateway: "wss://127.0.0.1:\(server.port)", database: "mfs"))
    let error = try withExtendedLifetime(server) {
      try ReplicationSocket.open(endpoint, fields: [], client: HTTPClient()).error
    }
    // It is not the certificate that somebody has to look at.
    #expect(error?.message.hasSuffix("the server does not speak TLS there") == true, "\(String(describing: error))")
  }
}
