import Basics
import JOSE
import SecureMemory
import Testing

private let now = Timestamp(seconds: 1_800_000_000)
private let issuer = "https://login.example.com"

/// One thing that is wrong, or all that is right when there is no reason.
private struct Case: Sendable, CustomStringConvertible {
  let name: String
  let reason: TokenRefusal.Reason?
  /// Claims that replace those of a good token.
  var claims: [String: JSONValue] = [:]
  /// Claims of a good token that it lacks.
  var without: [String] = []
  var type: String? = "JWT"
  var origin = IDTokenExpectation.Origin.code
  var nonce: String? = "n-0S6_WzA2Mj"
  var accessToken: String? = "SlAV32hkKG"
  var code: String?
  var maximumAge: Int64?
  var subject: String?
  var trusted: [String] = []
  var parties: [String] = []

  var description: String { name }
}

@Suite("ID tokens")
struct IDTokenTests {
  private static let good: [(String, JSONValue)] = [
    ("iss", .string(issuer)), ("sub", "alice"), ("aud", "app"), ("exp", 1_800_000_300), ("iat", 1_800_000_000),
    ("nonce", "n-0S6_WzA2Mj"),
  ]
  // The left halves of SHA-512 of the access token and of the code.
  private static let accessTokenHash: JSONValue = "z0cYnONBc9TdhgRUdlJ3DO6ArL2M-v_70iPj9lnAlnQ"
  private static let codeHash: JSONValue = "vXznlBubPR11RNvIlSwIKkhrOPYsWG1UAmXIpS8zf-Q"

  private static let cases: [Case] = [
    Case(name: "a good token of the code flow", reason: nil),
    Case(
      name: "a good one with everything", reason: nil,
      claims: [
        "at_hash": accessTokenHash, "c_hash": codeHash, "azp": "app", "nbf": 1_800_000_000, "auth_time": 1_799_999_990,
      ], code: "code-1", maximumAge: 60),
    Case(name: "no nonce sent, none there", reason: nil, without: ["nonce"], nonce: nil),
    Case(name: "no type", reason: nil, type: nil),
    Case(name: "a type in capitals and full", reason: nil, type: "Application/JWT"),
    Case(
      name: "a refreshed token without nonce", reason: nil, without: ["nonce"], origin: .refresh,
      subject: "alice"),
    Case(name: "a refreshed token with a nonce that is no longer known", reason: nil, origin: .refresh, nonce: nil),
    Case(name: "one audience in an array", reason: nil, claims: ["aud": ["app"]]),
    Case(name: "another audience, issued to us", reason: nil, claims: ["aud": ["other", "app"], "azp": "app"]),
    Case(
      name: "another audience that is trusted", reason: nil, claims: ["aud": ["app", "gateway"]], trusted: ["gateway"]),
    Case(name: "implicit flow, without an access token", reason: nil, origin: .authorization, accessToken: nil),
    Case(name: "implicit flow, with one", reason: nil, claims: ["at_hash": accessTokenHash], origin: .authorization),
    Case(
      name: "hybrid flow", reason: nil, claims: ["at_hash": accessTokenHash, "c_hash": codeHash],
      origin: .authorization, code: "code-1"),
    Case(
      name: "dates with a fraction", reason: nil,
      claims: ["exp": .number("1800000300.75"), "iat": .number("1799999999.999")]),
    Case(name: "dates with an exponent", reason: nil, claims: ["exp": .number("1.8000003e9"), "iat": .number("18E8")]),

    Case(name: "an access token", reason: .type, type: "at+jwt"),
    Case(name: "a logout token", reason: .type, type: "application/logout+JWT"),
    Case(name: "no issuer", reason: .missingClaim, without: ["iss"]),
    Case(name: "an empty issuer", reason: .malformedClaim, claims: ["iss": ""]),
    Case(name: "an issuer that is a number", reason: .malformedClaim, claims: ["iss": 1]),
    Case(name: "another issuer", reason: .issuer, claims: ["iss": "https://login.example.org"]),
    Case(name: "a slash more", reason: .issuer, claims: ["iss": "https://login.example.com/"]),
    Case(name: "another case", reason: .issuer, claims: ["iss": "https://Login.example.com"]),
    Case(name: "a letter that looks the same", reason: .issuer, claims: ["iss": "https://log\u{131}n.example.com"]),
    Case(name: "no audience", reason: .missingClaim, without: ["aud"]),
    Case(name: "an empty list of audiences", reason: .malformedClaim, claims: ["aud": []]),
    Case(name: "an audience that is no string", reason: .malformedClaim, claims: ["aud": ["app", 1]]),
    Case(name: "an audience that is an object", reason: .malformedClaim, claims: ["aud": ["app": true]]),
    Case(name: "another audience alone", reason: .audience, claims: ["aud": "other"]),
    Case(name: "an audience that begins like ours", reason: .audience, claims: ["aud": "app2"]),
    Case(name: "azp instead of aud", reason: .audience, claims: ["aud": "other", "azp": "app"]),
    Case(name: "another audience, and nobody it was issued to", reason: .audience, claims: ["aud": ["app", "other"]]),
    Case(name: "issued to another client", reason: .authorizedParty, claims: ["azp": "other"]),
    Case(
      name: "issued to another client that is trusted as audience", reason: .authorizedParty,
      claims: ["aud": ["app", "gateway"], "azp": "gateway"], trusted: ["gateway"]),
    Case(
      name: "issued to another client of the same app", reason: nil, claims: ["azp": "phone"], parties: ["phone"]),
    Case(
      name: "issued to a client that is none of the app's", reason: .authorizedParty, claims: ["azp": "other"],
      parties: ["phone"]),
    Case(
      name: "for another client of the same app", reason: .audience, claims: ["aud": "phone"], parties: ["phone"]),
    Case(name: "issued to a number", reason: .malformedClaim, claims: ["azp": 1]),
    Case(name: "no expiry", reason: .missingClaim, without: ["exp"]),
    Case(name: "an expiry in quotes", reason: .malformedClaim, claims: ["exp": "1800000300"]),
    Case(name: "an expiry before time began", reason: .malformedClaim, claims: ["exp": -1]),
    Case(name: "an expiry after time", reason: .malformedClaim, claims: ["exp": .integer(.max)]),
    Case(name: "an expiry of 1e400", reason: .malformedClaim, claims: ["exp": .number("1e400")]),
    Case(name: "an expiry of -1e400", reason: .malformedClaim, claims: ["exp": .number("-1e400")]),
    Case(name: "an expiry of 1e19", reason: .malformedClaim, claims: ["exp": .number("1e19")]),
    Case(
      name: "an expiry of many digits", reason: .malformedClaim,
      claims: ["exp": .number(String(repeating: "9", count: 400))]),
    Case(name: "a null expiry", reason: .malformedClaim, claims: ["exp": .null]),
    Case(name: "expired", reason: .expired, claims: ["exp": 1_799_999_940]),
    Case(name: "expired to the second within the leeway", reason: nil, claims: ["exp": 1_799_999_941]),
    Case(name: "no date of issue", reason: .missingClaim, without: ["iat"]),
    Case(name: "issued beyond the leeway", reason: .issuedInFuture, claims: ["iat": 1_800_000_061]),
    Case(name: "issued at its end", reason: nil, claims: ["iat": 1_800_000_060]),
    Case(
      name: "issued long ago, as providers do that date back (AppAuth-iOS 264)", reason: nil,
      claims: ["iat": 1_799_000_000]),
    Case(name: "not valid yet", reason: .notYetValid, claims: ["nbf": 1_800_000_061]),
    Case(name: "valid from the leeway's end", reason: nil, claims: ["nbf": 1_800_000_060]),
    Case(name: "valid from a word", reason: .malformedClaim, claims: ["nbf": "now"]),
    Case(name: "no user", reason: .missingClaim, without: ["sub"]),
    Case(name: "an empty user", reason: .malformedClaim, claims: ["sub": ""]),
    Case(
      name: "a user id that is too long", reason: .malformedClaim,
      claims: ["sub": .string(String(repeating: "a", count: 256))]),
    Case(
      name: "another user after a refresh", reason: .subject, without: ["nonce"], origin: .refresh,
      subject: "bob"),
    Case(name: "no nonce though one was sent", reason: .nonce, without: ["nonce"]),
    Case(name: "another nonce", reason: .nonce, claims: ["nonce": "n-0S6_WzA2Mk"]),
    Case(name: "a longer nonce", reason: .nonce, claims: ["nonce": "n-0S6_WzA2MjA"]),
    Case(name: "an empty nonce", reason: .nonce, claims: ["nonce": ""]),
    Case(name: "a nonce that is a number", reason: .malformedClaim, claims: ["nonce": 1]),
    Case(name: "a nonce that was not asked for", reason: .nonce, nonce: nil),
    Case(name: "another nonce after a refresh", reason: .nonce, claims: ["nonce": "x"], origin: .refresh),
    Case(
      name: "implicit flow without a nonce", reason: .nonce, without: ["nonce"], origin: .authorization,
      nonce: nil, accessToken: nil),
    Case(name: "another access token's hash", reason: .accessTokenHash, claims: ["at_hash": codeHash]),
    Case(
      name: "the whole hash instead of its half", reason: .accessTokenHash,
      claims: ["at_hash": .string(Base64URL.encode([UInt8](repeating: 7, count: 64)))]),
    Case(name: "an empty hash", reason: .accessTokenHash, claims: ["at_hash": ""]),
    Case(name: "a hash that is a number", reason: .malformedClaim, claims: ["at_hash": 1]),
    Case(name: "implicit flow, no hash of the access token", reason: .accessTokenHash, origin: .authorization),
    Case(name: "another code's hash", reason: .codeHash, claims: ["c_hash": accessTokenHash], code: "code-1"),
    Case(
      name: "hybrid flow, no hash of the code", reason: .codeHash, claims: ["at_hash": accessTokenHash],
      origin: .authorization, code: "code-1"),
    Case(name: "no time of sign-in though an age was asked for", reason: .missingClaim, maximumAge: 60),
    Case(
      name: "signed in too long ago", reason: .authenticationTime, claims: ["auth_time": 1_799_999_879], maximumAge: 60),
    Case(
      name: "signed in at the end of age and leeway", reason: nil, claims: ["auth_time": 1_799_999_880], maximumAge: 60),
    Case(name: "signed in in the future", reason: .authenticationTime, claims: ["auth_time": 1_800_000_061]),
    Case(name: "an endless age", reason: nil, claims: ["auth_time": 0], maximumAge: .max),
    Case(
      name: "a negative age counts as none", reason: .authenticationTime, claims: ["auth_time": 1_799_999_900],
      maximumAge: -5),
  ]

  private func outcome(_ test: Case, by key: SigningKey = Keys.edDSA) throws -> TokenRefusal? {
    let kept = IDTokenTests.good.filter { test.claims[$0.0] == nil && !test.without.contains($0.0) }
    let claims = object(kept + test.claims.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    let token = try key.sign(claims: claims, type: test.type)
    var validator = IDTokenValidator(issuer: issuer, clientID: "app", trustedAudiences: test.trusted)
    validator.trustedParties = test.parties
    let expected = IDTokenExpectation(
      test.origin, nonce: try test.nonce.map(box), accessToken: try test.accessToken.map(box),
      code: try test.code.map(box), maximumAge: test.maximumAge, subject: test.subject)
    return refusal { () throws(TokenRefusal) in
      let read = try validator.validate(token, expecting: expected, keys: set(key), now: now)
      if read.subject != "alice" { throw TokenRefusal(.init("wrong"), "") }
    }
  }

  @Test("each claim is checked", arguments: cases)
  private func claim(test: Case) throws {
    let refused = try outcome(test)
    #expect(refused?.reason == test.reason, "\(refused?.description ?? "taken")")
    if let said = refused?.description {
      // What ties a token to a sign-in is never said.
      for hidden in ["n-0S6_WzA2M", "SlAV32hkKG", "code-1", IDTokenTests.accessTokenHash.string ?? ""] {
        #expect(!said.contains(hidden))
      }
    }
  }

  @Test("every reason about claims has a case")
  func complete() {
    let tested = Set(IDTokenTests.cases.compactMap(\.reason))
    let claims: Set<TokenRefusal.Reason> = [
      .type, .missingClaim, .malformedClaim, .issuer, .audience, .authorizedParty, .subject, .expired, .notYetValid,
      .issuedInFuture, .nonce, .accessTokenHash, .codeHash, .authenticationTime,
    ]
    #expect(tested == claims)
  }

  // OpenID Connect Core, A.3 and A.4: hashes of examples, by SHA-256.
  @Test("hashes are made with the algorithm's own digest")
  func digests() throws {
    let examples: [(String, String, String)] = [
      ("at_hash", "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", "77QmUPtjPfzWtF2AnpK9RQ"),
      ("c_hash", "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk", "LDktKdoQak3Pk0cnXxCltA"),
    ]
    for key in [Keys.rs256, Keys.ps256, Keys.es256] {
      for (name, value, hash) in examples {
        var test = Case(name: name, reason: nil, claims: [name: .string(hash)], accessToken: nil)
        if name == "at_hash" { test.accessToken = value } else { test.code = value }
        #expect(try outcome(test, by: key) == nil)
      }
    }
  }

  @Test("a payload that is no strict object is refused")
  func payloads() throws {
    let validator = IDTokenValidator(issuer: issuer, clientID: "app")
    let cases: [(String, TokenRefusal.Reason)] = [
      ("", .payload), ("[]", .payload), ("null", .payload), ("{", .payload), ("{} {}", .payload), ("\"x\"", .payload),
      (#"{"iss":"a","iss":"https://login.example.com"}"#, .duplicate), (#"{"x":[{"a":1,"a":1}]}"#, .duplicate),
      (#"{"x":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}", .payload),
    ]
    // RFC 8725 3.7: UTF-8 and no other encoding of JSON.
    let good = #"{"iss":"https://login.example.com"}"#
    let encodings: [([UInt8], TokenRefusal.Reason)] = [
      (Array(good.utf8).flatMap { [$0, 0] }, .payload), (Array(good.utf8).flatMap { [0, $0] }, .payload),
      ([0xEF, 0xBB, 0xBF] + Array(good.utf8), .payload), (bytes(#"{"x":""#) + [0xFF] + bytes(#""}"#), .payload),
      (bytes(#"{"x":""#) + [0xED, 0xA0, 0x80] + bytes(#""}"#), .payload),
    ]
    for (payload, reason) in cases.map({ (bytes($0.0), $0.1) }) + encodings {
      let token = try Keys.edDSA.sign(payload)
      let refused = refusal { () throws(TokenRefusal) in
        _ = try validator.validate(token, expecting: IDTokenExpectation(.refresh), keys: set(Keys.edDSA), now: now)
      }
      #expect(refused?.reason == reason, "\(String(decoding: payload.prefix(30), as: UTF8.self))")
    }
  }

  @Test("what a token says is given back")
  func result() throws {
    let claims = object(IDTokenTests.good + [("auth_time", 1_799_999_999), ("email", "a@example.com"), ("azp", "app")])
    let token = try Keys.ps256.sign(claims: claims)
    let read = try IDTokenValidator(issuer: issuer, clientID: "app", algorithms: [.ps256]).validate(
      token, expecting: IDTokenExpectation(.code, nonce: box("n-0S6_WzA2Mj")), keys: set(Keys.ps256), now: now)
    #expect(read.issuer == issuer)
    #expect(read.audiences == ["app"])
    #expect(read.authorizedParty == "app")
    #expect(read.issued == now)
    #expect(read.expires == now.advanced(by: 300))
    #expect(read.authenticated == now.advanced(by: -1))
    #expect(read.algorithm == .ps256)
    #expect(read.claims["email"] == "a@example.com")
  }

  @Test("a clock that is an hour off is named as the cause (AppAuth-Android 733)")
  func clocks() throws {
    let token = try Keys.edDSA.sign(claims: object(IDTokenTests.good))
    let validator = IDTokenValidator(issuer: issuer, clientID: "app")
    func said(_ offset: Int64) throws -> TokenRefusal? {
      let expected = IDTokenExpectation(.code, nonce: try box("n-0S6_WzA2Mj"))
      return refusal { () throws(TokenRefusal) in
        _ = try validator.validate(token, expecting: expected, keys: set(Keys.edDSA), now: now.advanced(by: offset))
      }
    }
    let ahead = try #require(try said(3_600))
    #expect(ahead.reason == .expired)
    #expect(ahead.message.contains("expired 55 min ago"))
    #expect(ahead.hint?.contains("ahead of the issuer's by about 1 h: check the date and time of this device") == true)
    let behind = try #require(try said(-3_660))
    #expect(behind.reason == .issuedInFuture)
    #expect(behind.message.contains("behind the issuer's by at least 1 h 1 min"))
    #expect(behind.hint == "check the date and time of this device")
    #expect(try said(-60) == nil)
    #expect(try said(359) == nil)
    // The ends of time do not trap.
    for seconds in [Int64.min, .max, 0, -1] {
      let expected = IDTokenExpectation(.code, nonce: try box("n-0S6_WzA2Mj"), maximumAge: .max)
      let refused = refusal { () throws(TokenRefusal) in
        _ = try validator.validate(
          token, expecting: expected, keys: set(Keys.edDSA), now: Timestamp(seconds: seconds))
      }
      #expect(refused != nil)
    }
  }
}
