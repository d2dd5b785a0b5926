import OAuthHTTP
import Testing

@Suite struct RedirectRuleTests {
  @Test(arguments: [
    ("https://app.example/cb", "https://app.example/cb"), ("com.example.app:/cb", "com.example.app:/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.1/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.1:65535/cb"), ("http://127.0.0.1:5000/cb", "http://127.0.0.1:6000/cb"),
    ("http://127.0.0.1:5000/cb", "http://127.0.0.1/cb"), ("http://[::1]/cb", "http://[::1]:8080/cb"),
    ("http://127.0.0.1", "http://127.0.0.1:7"), ("http://127.0.0.1/cb?a=1", "http://127.0.0.1:7/cb?a=1"),
    ("http://localhost/cb", "http://localhost/cb"),
  ])
  func theSameBytesAndAnyLoopbackPortAreAllowed(registered: String, given: String) {
    #expect(RedirectRule.allows(given, registered: ["https://other.example/", registered]))
  }

  @Test(arguments: [
    ("https://app.example/cb", "https://app.example/cb/"), ("https://app.example/cb", "https://app.example/cb?a=1"),
    ("https://app.example/cb", "HTTPS://app.example/cb"), ("https://app.example/cb", "https://app.example/CB"),
    ("https://app.example/cb", "https://app.example:443/cb"), ("https://app.example/cb", "https://app.example/%63b"),
    ("https://app.example/cb", "https://app.example/cb#"), ("https://app.example/cb", "https://app.example/cb "),
    ("https://app.example/cb", "https://app.example/a/../cb"), ("https://app.example/cb", ""),
    // Whoever has another name or another port of it is somebody else.
    ("http://localhost/cb", "http://localhost:1/cb"), ("http://127.0.0.1/cb", "http://localhost/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.2/cb"), ("http://127.0.0.1/cb", "http://[::1]/cb"),
    ("http://127.0.0.1/cb", "https://127.0.0.1/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb2"),
    ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb"), ("http://127.0.0.1/cb", "http://127.0.0.11/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb"),
    ("http://127.0.0.1", "http://127.0.0.1@evil.example"),
    // No ports.
    ("http://127.0.0.1/cb", "http://127.0.0.1:/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:0/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.1:65536/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:000001/cb"),
    ("http://127.0.0.1/cb", "http://127.0.0.1:+1/cb"), ("http://127.0.0.1/cb", "http://127.0.0.1:\u{FF11}/cb"),
    ("http://127.0.0.1", "http://127.0.0.1:7?a=1"),
    // Equal for Unicode, and other bytes.
    ("https://app.example/\u{E9}", "https://app.example/e\u{301}"),
  ])
  func whateverElseIsRefused(registered: String, given: String) {
    #expect(!RedirectRule.allows(given, registered: ["https://other.example/", registered]))
  }

  @Test func withNothingRegisteredNothingIsAllowed() {
    #expect(!RedirectRule.allows("http://127.0.0.1/", registered: []))
  }
}
