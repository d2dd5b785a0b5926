import Testing

@testable import Settings

@Suite struct URLTests {
  @Test func takesEveryPartApart() throws {
    let url = try URLReference("HTTPS://u:p@Example.COM:8443/a/b?c=d?#e/f")
    #expect(url.scheme == "https" && url.host == .name("example.com") && url.port == 8443)
    #expect(url.hasUserInformation && url.hasPassword)
    #expect(url.path == "/a/b" && url.query == "c=d?" && url.fragment == "e/f")
    let bare = try URLReference("ws://u:@10.0.2.2")
    #expect(bare.host == .v4([10, 0, 2, 2]) && bare.port == nil && bare.hasUserInformation && !bare.hasPassword)
    #expect(bare.path.isEmpty && bare.query == nil && bare.fragment == nil)
  }

  @Test(arguments: [
    ("::", [UInt8](repeating: 0, count: 16)),
    ("::1", [UInt8](repeating: 0, count: 15) + [1]),
    ("1::", [0, 1] + [UInt8](repeating: 0, count: 14)),
    ("fe80::1:2", [0xFE, 0x80] + [UInt8](repeating: 0, count: 10) + [0, 1, 0, 2]),
    ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
    ("::ffff:127.0.0.1", [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]),
    ("1:2:3:4:5:6:1.2.3.4", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]),
  ])
  func readsIPv6(text: String, bytes: [UInt8]) {
    #expect(URLReference.v6(Array(text.utf8)[...]) == bytes)
  }

  @Test(arguments: [
    "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", ":1", "1:", "12345::",
    "g::",
    "1.2.3.4::", "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1%eth0",
  ])
  func refusesWhatIsNoIPv6(text: String) { #expect(URLReference.v6(Array(text.utf8)[...]) == nil) }

  @Test func survivesEveryPrefixAndByte() {
    let bytes = Array("wss://u:p@[1::2.3.4.5]:65535/a%20b?c#d".utf8)
    for end in 0...bytes.count { _ = URLReference.parse(String(decoding: bytes[..<end], as: UTF8.self)) }
    for index in bytes.indices {
      for byte: UInt8 in 0...255 {
        var changed = bytes
        changed[index] = byte
        _ = URLReference.parse(String(decoding: changed, as: UTF8.self))
      }
    }
  }
}

@Suite struct InsecureURLTests {
  private static let production = "production"

  // What is found in development and in production.
  @Test(
    arguments: [
      ("ws://localhost:4984", nil, nil), ("ws://LOCALHOST", nil, nil), ("http://localhost.", nil, nil),
      ("http://127.0.0.1", nil, nil), ("ws://127.255.3.4:1", nil, nil), ("ws://[::1]:4984", nil, nil),
      ("ws://[::ffff:127.0.0.1]", nil, nil), ("ws://10.0.2.2:4984", nil, nil),
      ("ws://10.0.2.3", .warning, .error), ("ws://10.1.2.3", .warning, .error),
      ("http://192.168.1.20", .warning, .error),
      ("ws://172.16.0.1", .warning, .error), ("ws://172.31.255.255", .warning, .error),
      ("ws://169.254.1.1", .warning, .error), ("ws://[fe80::1]", .warning, .error),
      ("ws://[febf::1]", .warning, .error),
      ("ws://[fd00::1]", .warning, .error), ("ws://[fc00::1]", .warning, .error),
      ("ws://[::ffff:10.1.2.3]", .warning, .error),
      ("ws://dev.local", .warning, .error), ("ws://DEV.LOCAL.", .warning, .error),
      ("ws://172.15.0.1", .error, .error), ("ws://172.32.0.1", .error, .error), ("ws://192.169.0.1", .error, .error),
      ("ws://11.0.0.1", .error, .error), ("ws://[fec0::1]", .error, .error), ("ws://[2001:db8::1]", .error, .error),
      ("ws://[::]", .error, .error), ("ws://0.0.0.0", .error, .error), ("ws://sync.example.com", .error, .error),
      ("http://local", .error, .error), ("ws://xlocal", .error, .error), ("ws://localhost.example.com", .error, .error),
      ("ws://127.0.0.1.example.com", .error, .error), ("ws://notlocalhost", .error, .error),
      ("ws://foo.localhost", .error, .error),
      ("wss://sync.example.com", nil, nil), ("https://10.1.2.3", nil, nil),
    ] as [(String, Severity?, Severity?)])
  func dependsOnWhoCanRead(url: String, development: Severity?, production: Severity?) throws {
    let catalog = try catalog(type: "type: url, schemes: [wss, https, ws, http], components: [scheme, host, port]")
    for (mode, expected) in [("development", development), ("test", development), ("production", production)] {
      let problems = catalog.problems(in: ["A": url], mode: mode)
      #expect(problems.map(\.severity) == (expected.map { [$0] } ?? []), "\(url) in \(mode)")
      #expect(problems.allSatisfy { $0.rule == .insecureURL && $0.key == "A" && $0.help != nil })
    }
  }
}
