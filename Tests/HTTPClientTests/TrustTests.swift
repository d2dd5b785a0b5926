import Basics
import HTTPClient
import TestSupport
import Testing

/// TLS with an authority of the test's own.
struct TrustTests {
  let authority: TestAuthority
  init() throws { authority = try TestAuthority() }

  private func outcome(
    _ server: TestServer, scheme: String = "https", trusting file: String?
  ) throws -> Result<Int, HTTPFailure> {
    try withExtendedLifetime(server) { try outcome(port: server.port, scheme: scheme, trusting: file) }
  }

  private func outcome(
    port: UInt16, scheme: String = "https", trusting file: String?
  ) throws -> Result<Int, HTTPFailure> {
    var client = HTTPClient()
    client.authorities = file
    let url = try #require(HTTPURL("\(scheme)://127.0.0.1:\(port)/echo"))
    do throws(HTTPFailure) { return .success(try client.send(HTTPRequest(.get, url)).status) } catch {
      return .failure(error)
    }
  }

  private func start() throws -> TestServer {
    try TestServer(certificate: authority.certificate, key: authority.key)
  }

  @Test func aTrustedServerIsRead() throws {
    #expect(try outcome(try start(), trusting: authority.authority) == .success(200))
  }

  @Test func theSystemsAuthoritiesDoNotKnowIt() throws {
    #expect(try outcome(try start(), trusting: nil) == .failure(HTTPFailure(.trust, "")))
  }

  @Test func anotherAuthorityDoesNotCount() throws {
    let other = try TestAuthority()
    #expect(try outcome(try start(), trusting: other.authority) == .failure(HTTPFailure(.trust, "")))
  }

  @Test func aCertificateForAnotherHostIsRefused() throws {
    let other = try TestAuthority(host: "127.0.0.2")
    let server = try TestServer(certificate: other.certificate, key: other.key)
    #expect(try outcome(server, trusting: other.authority) == .failure(HTTPFailure(.trust, "")))
  }

  @Test func anExpiredCertificateIsRefused() throws {
    let old = try TestAuthority(days: -1)
    let server = try TestServer(certificate: old.certificate, key: old.key)
    #expect(try outcome(server, trusting: old.authority) == .failure(HTTPFailure(.trust, "")))
  }

  @Test func aMissingAuthorityFileIsNotIgnored() throws {
    #expect(try outcome(try start(), trusting: authority.folder + "/none.pem") == .failure(HTTPFailure(.trust, "")))
  }

  @Test func aPlainServerIsNotTrustedAndSaidToBePlain() throws {
    let sandbox = try Sandbox()
    let server = try PlainServer(in: sandbox)
    guard case .failure(let failure) = try outcome(port: server.port, trusting: authority.authority) else {
      Issue.record("it answered")
      return
    }
    #expect(failure.kind == .trust && failure.cause == .withoutTLS, "\(failure)")
    #expect(
      failure.message
        == "cannot speak TLS with https://127.0.0.1:\(server.port): the server does not speak TLS there")
    #expect(failure.failure.code.exit.rawValue == 63 && failure.failure.hint?.contains("http://") == true)
  }

  @Test func aTLSServerDoesNotAnswerPlainly() throws {
    let result = try outcome(try start(), scheme: "http", trusting: nil)
    guard case .failure(let failure) = result else {
      Issue.record("it answered")
      return
    }
    #expect([.network, .protocolViolation].contains(failure.kind))
  }
}
