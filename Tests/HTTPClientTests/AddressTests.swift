import CCurl
import Glibc
import HTTPClient
import Testing

/// A client that connects to public addresses alone.
struct AddressTests {
  private static let private4 = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255",
  ]
  private static let public4 = [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1", "128.0.0.1", "169.253.0.1",
    "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.0.1", "192.169.0.1", "198.17.0.1", "198.20.0.1",
    "203.0.112.1", "223.255.255.255",
  ]
  private static let private6 = [
    "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "100::1",
    "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:1::", "3fff::1", "fc00::1", "fd12:3456::1",
    "fe80::1", "fec0::1", "ff02::1",
  ]
  private static let public6 = ["2a00:1450::1", "2606:4700::1", "64:ff9b::8.8.8.8", "2002:808:808::", "2001:4860::1"]

  private func bytes(_ text: String, _ family: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    try #require(inet_pton(family, text, &bytes) == 1)
    return bytes
  }

  @Test func whatIsPublicIsToldApart() throws {
    for text in AddressTests.private4 { #expect(ccurl_is_public4(try bytes(text, AF_INET)) == 0, "\(text)") }
    for text in AddressTests.public4 { #expect(ccurl_is_public4(try bytes(text, AF_INET)) == 1, "\(text)") }
    for text in AddressTests.private6 { #expect(ccurl_is_public6(try bytes(text, AF_INET6)) == 0, "\(text)") }
    for text in AddressTests.public6 { #expect(ccurl_is_public6(try bytes(text, AF_INET6)) == 1, "\(text)") }
  }

  /// By number, by another spelling of the number, and by name.
  @Test(arguments: ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "[::ffff:127.0.0.1]"])
  func aServerOfThisMachineIsNotReached(host: String) throws {
    let server = try TestServer()
    var client = HTTPClient()
    client.addresses = .publicOnly
    let url = try #require(HTTPURL("http://\(host):\(server.port)/echo"))
    let failure = #expect(throws: HTTPFailure.self) { try client.send(HTTPRequest(.get, url)) }
    #expect(failure?.kind == .request, "\(failure?.message ?? "")")
    let upgrade = #expect(throws: HTTPFailure.self) { _ = try client.upgrade(HTTPRequest(.get, url), to: "websocket") }
    #expect(upgrade?.kind == .request, "\(upgrade?.message ?? "")")
    // It is there for who may.
    client.addresses = .any
    let here = try #require(HTTPURL("http://127.0.0.1:\(server.port)/echo"))
    #expect(try client.send(HTTPRequest(.get, here)).status == 200)
  }
}
