import Basics
import HTTPServer
import OAuthHTTP
import Testing

@Suite struct OAuthErrorTests {
  private func body(_ response: ServerResponse) throws -> JSONValue {
    guard case .bytes(let bytes) = response.body else { throw Failure(.usage, "the body is no text") }
    return try JSONReader.value(bytes)
  }

  /// RFC 6749 5.2: %x20-21 / %x23-5B / %x5D-7E.
  @Test(arguments: [
    ("plain", "plain"), ("a \"b\" \\c", "a ?b? ?c"), ("a\r\nb\t\0", "a??b??"), ("\u{E9}\u{1F600}", "??"),
    ("~ !", "~ !"),
  ])
  func descriptionsHaveTheSignsThatMayStandThere(text: String, expected: String) {
    #expect(OAuthError.invalidRequest(text).text == expected)
  }

  @Test func theAnswerSaysAllOfIt() throws {
    var error = OAuthError("invalid_client", "no", status: 401, challenge: "Basic realm=\"a\"")
    error.retryAfter = 0
    let response = error.response
    #expect(response.status == 401)
    #expect(try body(response) == ["error": "invalid_client", "error_description": "no"])
    #expect(response.headers.first("WWW-Authenticate") == "Basic realm=\"a\"")
    #expect(response.headers.first("Cache-Control") == "no-store")
    #expect(response.headers.first("Content-Type") == "application/json")
    // At once would be no wait.
    #expect(response.headers.first("Retry-After") == "1")
    let plain = OAuthError.invalidGrant("no").response
    #expect(plain.status == 400 && plain.headers.first("Retry-After") == nil)
    #expect(plain.headers.first("WWW-Authenticate") == nil)
  }

  @Test(arguments: [
    (FormFields.Fault.mediaType, "invalid_request", 400), (.encoding, "invalid_request", 400),
    (.tooMany, "invalid_request", 400), (.memory, "server_error", 500),
  ])
  func eachFaultOfAFormIsAnError(fault: FormFields.Fault, code: String, status: Int) {
    let error = OAuthError(fault)
    #expect(error.code == code && error.status == status)
  }
}
