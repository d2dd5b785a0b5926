import Foundation
import HTTPClient
import TestSupport
import Testing

/// Servers that are slow, gone, broken or hostile.
struct FaultTests {
  let server: TestServer
  init() throws { server = try TestServer() }

  private func kind(_ path: String, timeout: Int = 5_000, port: UInt16? = nil) throws -> HTTPFailure.Kind? {
    var client = HTTPClient()
    client.timeout = timeout
    let url = try #require(HTTPURL("http://127.0.0.1:\(port ?? server.port)\(path)"))
    do throws(HTTPFailure) {
      _ = try client.send(HTTPRequest(.get, url))
      return nil
    } catch {
      #expect(error.message.contains("http://127.0.0.1"))
      return error.kind
    }
  }

  @Test(arguments: ["/cut", "/cut-head", "/hang-up", "/reset", "/switch"])
  func aBrokenConnectionIsNetworkTrouble(path: String) throws { #expect(try kind(path) == .network) }

  @Test func nobodyListening() throws { #expect(try kind("/echo", port: 1) == .network) }

  @Test func aNameThatDoesNotResolve() throws {
    let url = try #require(HTTPURL("http://no-such-host.invalid/"))
    #expect(throws: HTTPFailure(.network, "")) { try HTTPClient().send(HTTPRequest(.get, url)) }
  }

  @Test(arguments: ["/slow", "/trickle"])
  func aSlowAnswerTimesOut(path: String) throws {
    let start = Date()
    #expect(try kind(path, timeout: 300) == .timeout)
    #expect(Date().timeIntervalSince(start) < 3)
  }

  @Test(arguments: ["/garbage", "/old", "/bad-chunk", "/bad-length", "/nul"])
  func whatIsNotHTTPIsSaidToBe(path: String) throws { #expect(try kind(path) == .protocolViolation) }

  @Test(arguments: ["/huge", "/huge-unannounced", "/headers", "/one-header", "/interim-flood"])
  func anEndlessAnswerIsCutOff(path: String) throws {
    let start = Date()
    #expect(try kind(path, timeout: 20_000) == .tooLarge)
    #expect(Date().timeIntervalSince(start) < 10)
  }

  /// OpenSSL reads what it ignores without coming back, so no time limit of libcurl's would end this.
  @Test func anEndlessHandshakeIsCutOff() throws {
    let script = try #require(
      Bundle.module.path(forResource: "endless_handshake", ofType: "py", inDirectory: "Resources"))
    let server = try PythonServer(script: script)
    let url = try #require(HTTPURL("https://127.0.0.1:\(server.port)/"))
    let start = Date()
    let failure = #expect(throws: HTTPFailure.self) { try HTTPClient().send(HTTPRequest(.get, url)) }
    #expect(Date().timeIntervalSince(start) < 10, "\(failure.map { "\($0)" } ?? "")")
    #expect(failure?.kind == .network || failure?.kind == .protocolViolation || failure?.kind == .trust)
    withExtendedLifetime(server) {}
  }

  @Test func aDescriptorCancels() throws {
    let pipe = Pipe()
    let url = try #require(HTTPURL("http://127.0.0.1:\(server.port)/slow"))
    Thread.detachNewThread {
      usleep(100_000)
      try? pipe.fileHandleForWriting.write(contentsOf: Data([1]))
    }
    let start = Date()
    #expect(throws: HTTPFailure(.cancelled, "")) {
      try HTTPClient().send(HTTPRequest(.get, url), cancellation: [pipe.fileHandleForReading.fileDescriptor])
    }
    #expect(Date().timeIntervalSince(start) < 3)
  }

  // In a process of its own, because other tests read the environment at the same time.
  @Test func theEnvironmentsProxyIsNotUsedUnlessAsked() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer()
      let nobody = DeadPort()
      unsafe setenv("http_proxy", "http://127.0.0.1:\(nobody.port)", 1)
      let url = try #require(HTTPURL("http://127.0.0.1:\(server.port)/echo"))
      var client = HTTPClient()
      #expect(try client.send(HTTPRequest(.get, url)).status == 200)
      client.proxy = .environment
      #expect(throws: HTTPFailure(.network, "")) { try client.send(HTTPRequest(.get, url)) }
      withExtendedLifetime(nobody) {}
    }
  }
}
