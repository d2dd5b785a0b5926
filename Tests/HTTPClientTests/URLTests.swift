import HTTPClient
import Testing

struct URLTests {
  @Test(arguments: [
    ("http://example.com", "http://example.com/"),
    ("HTTPS://Example.COM:443/A?b=c", "https://example.com/A?b=c"),
    ("http://127.0.0.1:4984/db/_session", "http://127.0.0.1:4984/db/_session"),
    ("https://[::1]:8443?x", "https://[::1]:8443/?x"),
    ("http://a_b.example:80/", "http://a_b.example/"),
  ])
  func readsAndRebuilds(text: String, expected: String) { #expect(HTTPURL(text)?.description == expected) }

  @Test(arguments: [
    "", "http", "http:", "http:/x", "http://", "http:///x", "ftp://a/", "file:///etc/passwd", "//a/b", "http://u@a/",
    "http://u:p@a/", "http://a:0/", "http://a:65536/", "http://a:/", "http://a:+8/", "http://a:8x/", "http://a b/",
    "http://a/b c", "http://a/\r\nX: y", "http://a/#f", "http://a\\@b/", "http://a/\\b", "http://\u{e9}.example/",
    "http://[::1", "http://[::1%25eth0]/", "http://[fe80]/", "http://.a/", "http://a..b/", "http://-a/",
    "http://a:80:80/", "http://a%2eb/", "ws://a/", "http://" + String(repeating: "a", count: 254) + "/",
    "http://a/" + String(repeating: "a", count: 8_192),
  ])
  func refuses(text: String) { #expect(HTTPURL(text) == nil) }

  @Test func originsAreEqualAsInABrowser() throws {
    #expect(HTTPOrigin(of: "ws://Gateway:80/db") == HTTPOrigin(of: "http://gateway"))
    #expect(HTTPOrigin(of: "wss://gateway") == HTTPOrigin(of: "https://gateway:443/x"))
    #expect(HTTPOrigin(of: "ws://gateway") != HTTPOrigin(of: "wss://gateway"))
    #expect(HTTPOrigin(of: "http://gateway") != HTTPOrigin(of: "http://gateway:4984"))
    #expect(HTTPOrigin(of: "http://gateway.example") != HTTPOrigin(of: "http://gateway"))
    #expect(HTTPOrigin(of: "wss://gateway")?.description == "https://gateway")
  }
}
