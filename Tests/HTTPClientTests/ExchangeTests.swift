import HTTPClient
import SecureMemory
import Testing

/// Well-behaved exchanges.
struct ExchangeTests {
  let server: TestServer
  init() throws { server = try TestServer() }

  private func url(_ path: String) throws -> HTTPURL { try #require(HTTPURL("http://127.0.0.1:\(server.port)\(path)")) }

  private func send(_ request: HTTPRequest) throws -> HTTPResponse { try HTTPClient().send(request) }

  /// The lines of the request that the server saw.
  private func seen(_ response: HTTPResponse) throws -> [String] {
    let body = response.body.publicText()
    let text = try #require(body)
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func aGetSendsNothingThatWasNotAsked() throws {
    let response = try send(HTTPRequest(.get, try url("/echo")))
    #expect(response.status == 200)
    #expect(
      try seen(response) == [
        "GET /echo HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "User-Agent: mfsctl", "Accept: */*", "", "",
      ])
  }

  @Test(arguments: [("/echo", "/echo?a=b%20c"), ("/echo?x=1", "/echo?x=1&a=b%20c")])
  func aSecretOfTheQueryIsAdded(path: String, sent: String) throws {
    var request = HTTPRequest(.get, try url(path))
    request.query = SecureBox(try SecureBytes(publicText: "a=b%20c"))
    #expect(try seen(try send(request)).first == "GET \(sent) HTTP/1.1")
  }

  @Test(arguments: ["a=b c", "a=b#c", "a=b\r\nX: y", "a=\u{E4}"]) func aQueryMustBeEncoded(query: String) throws {
    var request = HTTPRequest(.get, try url("/echo"))
    request.query = SecureBox(try SecureBytes(publicText: query))
    let failure = #expect(throws: HTTPFailure.self) { try send(request) }
    #expect(failure?.kind == .request)
  }

  @Test func aPostWithoutABodyIsEmpty() throws {
    let lines = try seen(try send(HTTPRequest(.post, try url("/echo"))))
    #expect(lines.first == "POST /echo HTTP/1.1")
    #expect(lines.contains("Content-Length: 0"))
    #expect(!lines.contains { $0.lowercased().hasPrefix("content-type") })
    #expect(lines.suffix(2) == ["", ""])
  }

  @Test(arguments: HTTPRequest.Method.allCases.filter { $0 != .head })
  func methodsAndBodiesArriveAsGiven(method: HTTPRequest.Method) throws {
    let body = SecureBox(try SecureBytes(publicText: "{\"a\":1}"))
    let request = HTTPRequest(method, try url("/echo"), fields: [.init("Content-Type", "application/json")], body: body)
    let lines = try seen(try send(request))
    #expect(lines.first == "\(method.rawValue) /echo HTTP/1.1")
    #expect(lines.contains("Content-Length: 7"))
    #expect(lines.contains("Content-Type: application/json"))
    #expect(lines.last == "{\"a\":1}")
  }

  @Test func aLargeBodyIsSentWithoutWaiting() throws {
    let body = SecureBox(try SecureBytes(publicText: String(repeating: "b", count: 500_000)))
    let lines = try seen(try send(HTTPRequest(.post, try url("/echo"), body: body)))
    #expect(!lines.contains { $0.lowercased().hasPrefix("expect") })
    #expect(lines.last?.utf8.count == 500_000)
  }

  @Test func headAndDeleteHaveNoBody() throws {
    let head = try send(HTTPRequest(.head, try url("/echo")))
    #expect(head.body.count == 0)
    #expect(try seen(try send(HTTPRequest(.delete, try url("/echo")))).first == "DELETE /echo HTTP/1.1")
  }

  @Test func secretFieldsArriveAndEmptyOnesToo() throws {
    let secret = SecureBox(try SecureBytes(publicText: "Basic YWxpY2U6cHc="))
    let lines = try seen(
      try send(HTTPRequest(.get, try url("/echo"), fields: [.init("Authorization", secret: secret), .init("X-E", "")])))
    #expect(lines.contains("Authorization: Basic YWxpY2U6cHc="))
    #expect(lines.contains("X-E:"))
  }

  @Test(arguments: ["Host", "Content-Length", "transfer-encoding", "X Y", "", "X:Y", "X\r\nY", "User-Agent"])
  func someNamesAreRefused(name: String) throws {
    let request = HTTPRequest(.get, try url("/echo"), fields: [.init(name, "v")])
    #expect(throws: HTTPFailure(.request, "")) { try send(request) }
  }

  @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\0b", "\u{7f}"])
  func controlBytesInAValueAreRefused(value: String) throws {
    let request = HTTPRequest(.get, try url("/echo"), fields: [.init("X-Test", value)])
    #expect(throws: HTTPFailure(.request, "")) { try send(request) }
  }

  @Test func responseFieldsKeepOrderAndRepeats() throws {
    let response = try send(HTTPRequest(.get, try url("/cookies")))
    #expect(response.names == ["Set-Cookie", "set-cookie", "Content-Length"])
    let values = response.indexes(of: "SET-COOKIE").map { index in
      unsafe response.withValue(at: index) { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    }
    #expect(values == ["a=1; Path=/", "b=2"])
    let none = unsafe response.withValue(at: 99) { _ in true }
    #expect(none == nil)
    let padded = try send(HTTPRequest(.get, try url("/echo")))
    #expect(padded.text("x-test") == "padded")
    #expect(padded.text("x-empty") == "")
    #expect(padded.text("x-none") == nil)
  }

  @Test func aRedirectIsReportedAndNotFollowed() throws {
    let response = try send(HTTPRequest(.get, try url("/redirect")))
    #expect(response.status == 302)
    #expect(response.text("Location") == "http://127.0.0.1:1/elsewhere")
  }

  @Test func interimResponsesAreNotTheResponse() throws {
    let response = try send(HTTPRequest(.get, try url("/interim")))
    #expect(response.status == 200)
    #expect(response.names == ["X-Final", "Content-Length"])
    let text = response.body.publicText()
    #expect(text == "done")
  }
}
