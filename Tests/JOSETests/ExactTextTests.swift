import Basics
import Testing

@testable import JOSE

@Suite("Texts are compared byte for byte")
struct ExactTextTests {
  // `==` on Swift strings takes all of these for equal.
  private static let pairs = [("OKP", "O\u{212A}P"), ("caf\u{E9}", "cafe\u{301}"), ("\u{2126}", "\u{3A9}")]

  @Test("canonically equivalent texts differ", arguments: pairs)
  func equivalent(one: String, other: String) {
    #expect(one == other)
    #expect(!one.isExactly(other))
    #expect(one.isExactly(one))
    #expect(![one].containsExactly(other))
  }

  @Test("issuer, audience, client, user and key id", arguments: pairs)
  func claims(one: String, other: String) throws {
    let now = Timestamp(seconds: 1_800_000_000)
    let key = try SigningKey.generate(.edDSA, id: one)
    let named = try forge(JSONValue.object([.init("alg", "EdDSA"), .init("kid", .string(other))]).text, by: key)
    #expect(try refusal(named, set(key))?.reason == .unknownKey)
    func refused(_ issuer: String, _ audience: String, _ party: String, _ subject: String) throws -> TokenRefusal? {
      let token = try key.sign(
        claims: object([
          ("iss", .string(issuer)), ("aud", .string(audience)), ("azp", .string(party)), ("sub", .string(subject)),
          ("iat", 1_800_000_000), ("exp", 1_800_000_300),
        ]))
      let expected = IDTokenExpectation(.refresh, subject: one)
      return refusal { () throws(TokenRefusal) in
        _ = try IDTokenValidator(issuer: one, clientID: one).validate(
          token, expecting: expected, keys: set(key), now: now)
      }
    }
    #expect(try refused(one, one, one, one) == nil)
    #expect(try refused(other, one, one, one)?.reason == .issuer)
    #expect(try refused(one, other, one, one)?.reason == .audience)
    #expect(try refused(one, one, other, one)?.reason == .authorizedParty)
    #expect(try refused(one, one, one, other)?.reason == .subject)
  }
}
