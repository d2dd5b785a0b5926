import BackendKeys
import Basics
import JOSE
import SecureMemory
import Testing

@Suite("Tokens that the server issues")
struct IssuerTests {
  @Test(
    "JT-02 an access token has the claims of RFC 9068, lives 15 minutes at most, and has an id of its own",
    arguments: [
      JWSAlgorithm.edDSA, .rs256,
    ])
  func accessToken(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    var ids: Set<String> = []
    for number in 0..<50 {
      let issued = try server.accessToken { $0.scopes = number == 0 ? [] : ["profile", "feed"] }
      let header = try part(issued.text, 0), claims = try part(issued.text, 1)
      #expect(header["typ"]?.string == "at+jwt")
      #expect(header["alg"]?.string == algorithm.rawValue)
      #expect(header["kid"]?.string == issued.keyID)
      #expect(claims["iss"]?.string == issuer)
      #expect(claims["aud"]?.string == "api")
      #expect(claims["sub"]?.string == "user_01")
      #expect(claims["client_id"]?.string == "mobile")
      #expect(claims["scope"]?.string == (number == 0 ? "" : "profile feed"))
      #expect(claims["device_id"]?.string == "dev_01")
      #expect(claims["sid"]?.string == "sess_01")
      #expect(claims["auth_time"] == .integer(server.now.seconds))
      guard case .integer(let start)? = claims["iat"], case .integer(let end)? = claims["exp"] else {
        Issue.record("no dates")
        return
      }
      #expect(start == server.now.seconds)
      #expect(end - start <= 900 && end > start)
      #expect(issued.expires.seconds == end)
      let id = try #require(claims["jti"]?.string)
      #expect(id == issued.id)
      #expect(Base64URL.decode(id)?.count == 16)
      ids.insert(id)
    }
    #expect(ids.count == 50)
  }

  @Test("JT-02 no life above 15 minutes, or above what keys are kept for, is accepted")
  func lifetime() throws {
    let server = try Server()
    for seconds in [Int64.min, 0, 901, .max] {
      #expect(
        failure { _ = try AccessTokenIssuer(issuer: issuer, keys: server.ring, lifetimeSeconds: seconds) }
          == .configuration)
      #expect(
        failure { _ = try IDTokenIssuer(issuer: issuer, keys: server.ring, lifetimeSeconds: seconds) } == .configuration
      )
    }
    _ = try AccessTokenIssuer(issuer: issuer, keys: server.ring, lifetimeSeconds: 900)
    var settings = KeyRingSettings()
    settings.longestTokenSeconds = 300
    let short = try KeyRing(store: server.store, sealer: try sealer(), settings: settings)
    #expect(failure { _ = try AccessTokenIssuer(issuer: issuer, keys: short, lifetimeSeconds: 301) } == .configuration)
    #expect(failure { _ = try server.accessToken { $0.audiences = [] } } == .configuration)
  }

  @Test(
    "whatever a text holds, the token is JSON that says it",
    arguments: [
      "\"},{\"sub\":\"root", "\\", "\u{0}\u{1F}\n\t", "\u{7F}\u{2028}", "é🔑", "", "\"", "a\\\"b", "</script>",
    ])
  func escaping(_ text: String) throws {
    let server = try Server()
    let issued = try server.accessToken {
      ($0.subject, $0.clientID, $0.audiences, $0.scopes) = (text, text, [text, "api"], [text])
      ($0.sessionID, $0.deviceID) = (text, text)
    }
    let claims = try part(issued.text, 1)
    for name in ["sub", "client_id", "scope", "sid", "device_id"] {
      #expect(claims[name]?.string.map { Array($0.utf8) } == Array(text.utf8), "\(name)")
    }
    #expect(claims["aud"]?.strings?.count == 2)
    let id = try part(
      try server.idToken { ($0.subject, $0.nonce, $0.claims) = (text, text, ["name": .string(text)]) }.text, 1)
    for name in ["sub", "nonce", "name"] {
      #expect(id[name]?.string.map { Array($0.utf8) } == Array(text.utf8), "\(name)")
    }
  }

  @Test(
    "an ID token tells the nonce, the access token's hash and what the scopes grant",
    arguments: [JWSAlgorithm.edDSA, .rs256])
  func idToken(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    let access = try server.accessToken()
    let known: [String: JSONValue] = [
      "name": "Ada", "email": "ada@example.com", "email_verified": true, "phone_number": "+1",
      "address": ["locality": "London"],
      "iss": "https://evil.example.com", "sub": "root", "employee": 7,
    ]
    let issued = try server.idToken {
      ($0.accessToken, $0.claims, $0.scopes) = (access.text, known, ["openid", "profile", "email"])
    }
    let expected = IDTokenExpectation(
      .code, nonce: try box(Array("n-0S6".utf8)), accessToken: try box(Array(access.text.utf8)))
    let validator = IDTokenValidator(issuer: issuer, clientID: "mobile")
    let text = try box(Array(issued.text.utf8))
    let token = try validator.validate(text.bytes, expecting: expected, keys: try server.jwks(), now: server.now)
    #expect(token.subject == "user_01")
    #expect(token.authenticated == server.now)
    #expect(token.claims["sid"]?.string == "sess_01")
    #expect(token.claims["name"]?.string == "Ada")
    #expect(token.claims["email_verified"] == .bool(true))
    #expect(token.claims.all.members?.filter { $0.name == "iss" }.count == 1)
    for name in ["phone_number", "address", "employee"] { #expect(token.claims[name] == nil, "\(name)") }
    // Of another access token.
    let other = IDTokenExpectation(
      .code, nonce: try box(Array("n-0S6".utf8)), accessToken: try box(Array(try server.accessToken().text.utf8)))
    #expect(throws: TokenRefusal(.accessTokenHash, "")) {
      try validator.validate(text.bytes, expecting: other, keys: try server.jwks(), now: server.now)
    }
    let bare = try part(try server.idToken { $0.nonce = nil }.text, 1)
    #expect(bare["nonce"] == nil)
    #expect(bare["at_hash"] == nil)
  }
}
