import BackendKeys
import BackendStoreConformance
import Basics
import HTTPTestSupport
import JOSE
import Testing

@Suite("What tokens and keys say")
struct TokenClaimsTests {
  @Test("JT-02 an access token has the claims of RFC 9068, for 15 minutes at most, and each its own jti")
  func accessToken() throws {
    let fixture = try BackendFixture { $0.accessTokenSeconds = 900 }
    var tokens = try fixture.signIn(Asked("app", scope: "openid feed").with("device_id", "dev-1"))
    var ids: Set<String> = []
    for _ in 0..<20 {
      let (header, claims) = try decoded(tokens.access)
      #expect(header["typ"]?.string == "at+jwt")
      #expect(header["alg"]?.string == "EdDSA")
      #expect(header["kid"]?.string?.isEmpty == false)
      #expect(claims["iss"]?.string == fixture.issuer)
      #expect(claims["aud"]?.string == "api")
      #expect(claims["sub"]?.string == "user_alice")
      #expect(claims["client_id"]?.string == "app")
      #expect(claims["scope"]?.string == "openid feed")
      #expect(claims["device_id"]?.string == "dev-1")
      #expect(claims["sid"]?.string?.isEmpty == false)
      let (from, to) = (try #require(claims["iat"]?.number), try #require(claims["exp"]?.number))
      #expect(from == fixture.clock.now.seconds)
      #expect(to - from == tokens.json["expires_in"]?.number)
      #expect(to - from <= 900)
      let id = try #require(claims["jti"]?.string)
      #expect(id.utf8.count >= 22, "128 bits in base64url")
      ids.insert(id)
      tokens = try Tokens(fixture.refresh(tokens.refresh, device: "dev-1"))
    }
    #expect(ids.count == 20)
  }

  @Test("employeeId is told with the scope profile, in ID tokens and by userinfo, and follows a change")
  func employee() throws {
    let fixture = try BackendFixture()
    func set(_ id: String) throws {
      var user = try #require(try fixture.store.user(id: "user_alice"))
      user.claims["employeeId"] = .string(id)
      _ = try fixture.store.change(user, ending: nil, now: fixture.clock.now, denyUntil: nil)
    }
    try set("4711")
    let tokens = try fixture.signIn(Asked(scope: "openid profile offline_access"))
    #expect(try decoded(tokens.idToken).claims["employeeId"] == .string("4711"))
    #expect(try fixture.userInfo(tokens.access).json()["employeeId"] == .string("4711"))
    try set("E-17")
    #expect(try fixture.userInfo(tokens.access).json()["employeeId"] == .string("E-17"))
    let next = try Tokens(fixture.refresh(tokens.refresh))
    #expect(try decoded(next.idToken).claims["employeeId"] == .string("E-17"))
    let narrow = try fixture.signIn(Asked(scope: "openid email"))
    #expect(try decoded(narrow.idToken).claims["employeeId"] == nil)
    #expect(try fixture.userInfo(narrow.access).json()["employeeId"] == nil)
    let metadata = try fixture.send("GET", "/.well-known/openid-configuration").json()
    #expect(metadata["claims_supported"]?.text.contains("\"employeeId\"") == true)
  }

  @Test("JT-02 more than 15 minutes cannot be set")
  func longest() throws {
    #expect(throws: (any Error).self) { try BackendFixture { $0.accessTokenSeconds = 901 } }
  }

  @Test("an access token counts until it is over, and an ID token never counts as one")
  func userInfo() throws {
    let fixture = try BackendFixture(), tokens = try fixture.signIn(Asked(scope: "openid email"))
    let info = try fixture.userInfo(tokens.access)
    #expect(info.status == 200)
    #expect(try info.json()["sub"]?.string == "user_alice")
    #expect(try info.json()["email"]?.string == "alice@example.com")
    #expect(try info.json()["name"] == nil, "the scope profile was not granted")
    let idToken = try fixture.userInfo(try #require(tokens.id))
    #expect(idToken.status == 401)
    #expect(idToken.first("WWW-Authenticate")?.hasPrefix("Bearer error=\"invalid_token\"") == true)
    let without = try fixture.send("GET", "/oauth/userinfo")
    #expect(without.status == 401)
    #expect(without.first("WWW-Authenticate") == "Bearer realm=\"oauth\"")
    let narrow = try fixture.signIn(Asked(scope: "feed"))
    #expect(narrow.id == nil)
    let refused = try fixture.userInfo(narrow.access)
    #expect(refused.status == 403)
    #expect(refused.first("WWW-Authenticate")?.contains("insufficient_scope") == true)
    fixture.clock.advance(by: fixture.backend.settings.accessTokenSeconds + fixture.backend.settings.leewaySeconds)
    #expect(try fixture.userInfo(tokens.access).status == 401)
  }

  @Test("JK-01 the set of keys has what verifiers need, and nothing private", arguments: [JWSAlgorithm.edDSA, .rs256])
  func keys(_ algorithm: JWSAlgorithm) throws {
    var settings = KeyRingSettings()
    settings.algorithm = algorithm
    let fixture = try BackendFixture(keys: settings)
    _ = try fixture.backend.keys.rotateNow()
    let answer = try fixture.send("GET", "/.well-known/jwks.json")
    #expect(answer.status == 200)
    #expect(["application/json", "application/jwk-set+json"].contains(answer.mediaType))
    #expect(answer.first("Cache-Control") == "public, max-age=3600")
    let keys = try #require(try answer.json()["keys"]?.items)
    #expect(keys.count == 2)
    for key in keys {
      #expect(key["kty"]?.string == (algorithm == .edDSA ? "OKP" : "RSA"))
      #expect(key["use"]?.string == "sig")
      #expect(key["alg"]?.string == algorithm.rawValue)
      let names = Set(key.members?.map(\.name) ?? [])
      #expect(names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]))
    }
    let ids = keys.compactMap { $0["kid"]?.string }
    #expect(Set(ids).count == 2)
    let tokens = try fixture.signIn()
    #expect(ids.contains(try decoded(tokens.access).header["kid"]?.string ?? ""))
  }

  @Test("tokens of before a key's rotation count after it, and a client that has the old set meets no new key too soon")
  func rotation() throws {
    let fixture = try BackendFixture { $0.accessTokenSeconds = 900 }
    func ids() throws -> [String] {
      try fixture.send("GET", "/.well-known/jwks.json").json()["keys"]?.items?.compactMap { $0["kid"]?.string } ?? []
    }
    var used: Set<String> = [], kept: [(until: Int64, ids: [String])] = []
    var tokens = try fixture.signIn()
    // Four days around the time of rotation, by quarters of an hour.
    try fixture.advance(by: 88 * 86_400)
    tokens = try fixture.signIn()
    for _ in 0..<(4 * 96) {
      kept = kept.filter { $0.until >= fixture.clock.now.seconds } + [(fixture.clock.now.seconds + 3_600, try ids())]
      try fixture.advance(by: 900)
      #expect(try fixture.userInfo(tokens.access).status == 200, "over in a minute of leeway, not before")
      tokens = try Tokens(fixture.refresh(tokens.refresh))
      let id = try #require(try decoded(tokens.access).header["kid"]?.string)
      used.insert(id)
      for one in kept where one.until >= fixture.clock.now.seconds { #expect(one.ids.contains(id)) }
    }
    #expect(used.count == 2)
  }
}
