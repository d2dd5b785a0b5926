import Basics
import Testing

@testable import StrategyKit

@Suite("Set-Cookie")
struct SetCookieTests {
  @Test("reads the gateway's cookie")
  func gateway() throws {
    let cookie = try #require(
      SetCookie("SyncGatewaySession=904ac0; Path=/mfs; Expires=Fri, 04 Sep 2026 18:00:00 GMT; HttpOnly; Secure"))
    #expect(cookie.name == "SyncGatewaySession")
    #expect(cookie.value == "904ac0")
    #expect(cookie.path == "/mfs")
    #expect(cookie.end(now: Timestamp(seconds: 0))?.rfc3339 == "2026-09-04T18:00:00Z")
  }

  @Test(
    "reads what user agents read (RFC 6265 5.2)",
    arguments: [
      ("a=b", "a", "b"), (" a = b ;x", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"), ("a=\"b\"", "a", "\"b\""),
      ("a=b;;;", "a", "b"),
    ])
  func pairs(field: String, name: String, value: String) {
    #expect(SetCookie(field)?.name == name)
    #expect(SetCookie(field)?.value == value)
  }

  @Test("what names no cookie is none", arguments: ["", ";", "a", "=b", " =b", "; a=b"])
  func none(field: String) { #expect(SetCookie(field) == nil) }

  @Test("Max-Age counts before Expires, and what cannot be read does not count")
  func lifetimes() {
    let now = Timestamp(seconds: 1_000)
    #expect(SetCookie("a=b; expires=Fri, 04-Sep-2026 18:00:00 GMT; MAX-AGE=60")?.end(now: now)?.seconds == 1_060)
    #expect(SetCookie("a=b; Max-Age=soon")?.end(now: now) == nil)
    #expect(SetCookie("a=b; Expires=tomorrow")?.end(now: now) == nil)
    for far in ["9223372036854775807", "1000000000000000", "99999999999999999999"] {
      #expect(SetCookie("a=b; Max-Age=\(far)")?.end(now: now)?.rfc3339 == "9999-12-31T23:59:59Z")
    }
    for past in ["0", "-1", "-9223372036854775808", "-99999999999999999999"] {
      #expect(SetCookie("a=b; Max-Age=\(past)")?.end(now: now) == now)
    }
    for nonsense in ["", "-", "+60", "6 0", "--6"] {
      #expect(SetCookie("a=b; Max-Age=\(nonsense)")?.end(now: now) == nil)
    }
    #expect(SetCookie("a=b; Path=mfs")?.path == nil)
  }

  @Test("a later cookie of the same name and path replaces an earlier one, also one that it deletes (RFC 6265 5.3)")
  func replacement() {
    func kept(_ fields: String...) -> [String] {
      SetCookie.latest(fields.compactMap(SetCookie.init)).map { "\($0.name)=\($0.value)" }
    }
    #expect(kept("a=1; Path=/mfs", "a=2; Path=/mfs") == ["a=2"])
    #expect(kept("a=1; Path=/mfs", "b=1", "a=; Path=/mfs; Max-Age=0") == ["b=1", "a="])
    #expect(kept("a=1; Path=/mfs", "a=; Path=/; Max-Age=0") == ["a=1", "a="])
    #expect(kept("a=; Path=/mfs; Max-Age=0", "a=1; Path=/mfs") == ["a=1"])
  }
}
