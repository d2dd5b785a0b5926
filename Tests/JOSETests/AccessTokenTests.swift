import Basics
import JOSE
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let good: [(String, JSONValue)] = [
    ("iss", "https://as.example"), ("sub", "alice"), ("aud", ["https://api.example", "https://other.example"]),
    ("exp", 1_800_000_060), ("iat", 1_800_000_000), ("client_id", "app"), ("jti", "id-1"), ("scope", "read  write"),
  ]
  private let validator = AccessTokenValidator(issuer: "https://as.example", audience: "https://api.example")

  private func outcome(
    _ name: String? = nil, _ value: JSONValue? = nil, type: String? = "at+jwt"
  ) throws -> TokenRefusal? {
    var members = AccessTokenTests.good.filter { $0.0 != name }
    if let name, let value { members.append((name, value)) }
    let token = try Keys.es256.sign(claims: object(members), type: type)
    return refusal { () throws(TokenRefusal) in
      _ = try validator.validate(token, keys: set(Keys.es256), now: AccessTokenTests.now)
    }
  }

  @Test("a good one is taken, and what it says given back")
  func good() throws {
    let token = try Keys.es256.sign(claims: object(AccessTokenTests.good), type: "application/AT+jwt")
    let read = try validator.validate(token, keys: set(Keys.es256), now: AccessTokenTests.now)
    #expect(read.subject == "alice")
    #expect(read.clientID == "app")
    #expect(read.id == "id-1")
    #expect(read.scopes == ["read", "write"])
    #expect(read.audiences.count == 2)
    #expect(read.expires == AccessTokenTests.now.advanced(by: 60))
    #expect(read.claims["iss"] == "https://as.example")
    #expect(try outcome("scope") == nil)
  }

  @Test("an ID token, or one that does not say what it is, is not taken", arguments: ["JWT", nil, "at+jwt ", "jwt+at"])
  func type(type: String?) throws { #expect(try outcome(type: type)?.reason == .type) }

  @Test("what RFC 9068 requires must be there", arguments: ["iss", "sub", "aud", "exp", "iat", "client_id", "jti"])
  func missing(name: String) throws { #expect(try outcome(name)?.reason == .missingClaim) }

  @Test(
    "claims that are refused",
    arguments: [
      ("iss", "https://as.example/", TokenRefusal.Reason.issuer), ("aud", "https://other.example", .audience),
      ("aud", [], .malformedClaim),
      ("exp", 1_799_999_940, .expired), ("iat", 1_800_000_061, .issuedInFuture), ("nbf", 1_800_000_061, .notYetValid),
      ("client_id", "", .malformedClaim), ("client_id", 7, .malformedClaim), ("jti", "", .malformedClaim),
      ("scope", ["read"], .malformedClaim), ("sub", 7, .malformedClaim), ("exp", "soon", .malformedClaim),
    ] as [(String, JSONValue, TokenRefusal.Reason)])
  func refused(name: String, value: JSONValue, reason: TokenRefusal.Reason) throws {
    #expect(try outcome(name, value)?.reason == reason)
  }

  @Test("only the issuer's keys and the algorithms that are allowed")
  func keys() throws {
    let token = try Keys.es256.sign(claims: object(AccessTokenTests.good), type: "at+jwt")
    let strict = AccessTokenValidator(
      issuer: "https://as.example", audience: "https://api.example", algorithms: [.edDSA])
    let refused = refusal { () throws(TokenRefusal) in
      _ = try strict.validate(token, keys: set(Keys.es256), now: AccessTokenTests.now)
    }
    #expect(refused?.reason == .algorithm)
    let stranger = refusal { () throws(TokenRefusal) in
      _ = try validator.validate(token, keys: set(Keys.rs256), now: AccessTokenTests.now)
    }
    #expect(stranger?.reason == .unknownKey)
  }
}
