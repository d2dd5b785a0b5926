import BackendAdmin
import BackendStore
import Basics
import Testing

@Suite struct RedirectURITests {
  @Test(arguments: [
    "https://app.example.com/oauth/callback", "https://app.example.com", "https://app.example.com:8443/cb?x=1",
    "com.example.app:/oauth/callback", "com.example.app://callback", "http://127.0.0.1/cb", "http://127.0.0.1:8123/cb",
    "http://[::1]/cb", "http://localhost:4242", "edu.kit.data.oidc-agent:/redirect",
  ]) func mayBeRegistered(uri: String) throws { try RedirectURICheck.check(uri) }

  @Test(arguments: [
    "", "https://*.example.com/cb", "https://app.example.com/*", "com.example.*:/cb", "https://app.example.com/cb#f",
    "http://app.example.com/cb",
    "http://127.0.0.1.example.com/cb", "http://127.0.0.2/cb", "http://localhost.example.com/", "http://10.0.0.1/cb",
    "https://user@example.com/cb", "https://a@b@c/cb", "https:///cb", "https:/cb", "HTTPS://example.com/cb",
    "myapp:/cb", "myapp://cb",
    "javascript:/x", "data:/x", "com.example.app:callback", "com..app:/cb", ".com.example:/cb", "Com.example:/cb",
    "1com.example:/cb", "https://ex ample.com/", "https://example.com/\u{e4}", "https://example.com/\\",
    "//example.com/cb", "/cb",
    "https://example.com/" + String(repeating: "x", count: 2_000),
  ]) func mayNot(uri: String) {
    #expect(throws: Failure(.configuration, "")) { try RedirectURICheck.check(uri) }
  }

  @Test func aClientIsCheckedAsAWhole() throws {
    let good = Client(id: "mobile", name: "MFS", redirectURIs: ["com.example.app:/cb"])
    try ClientCheck.check(good)
    let changes: [(inout Client) -> Void] = [
      { $0.id = "" }, { $0.id = "a b" }, { $0.name = "" }, { $0.name = "a\u{1b}[0m" }, { $0.redirectURIs = [] },
      { $0.redirectURIs += $0.redirectURIs }, { $0.postLogoutRedirectURIs = ["http://example.com/"] },
      { $0.grants = ["password"] }, { $0.scopes = ["a b"] }, { $0.audience = "" }, { $0.graceSeconds = 11 },
      { $0.graceSeconds = -1 }, { $0.properties = ["a=b": "c"] },
    ]
    for change in changes {
      var client = good
      change(&client)
      #expect(throws: Failure(.configuration, "")) { try ClientCheck.check(client) }
    }
  }
}
