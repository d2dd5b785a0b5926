import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import HTTPTestSupport
import JOSE
import Testing

/// Native sign-in: an ID token of a provider's for tokens of ours.
@Suite("native sign-in") struct NativeSignInTests {
  static let idTokenType = "urn:ietf:params:oauth:token-type:id_token"
  let fixture: FlowFixture
  init() throws { fixture = try FlowFixture() }

  private func exchange(
    _ token: String, nonce: String? = "n-1", _ items: [(String, String)] = [], client: String = "app"
  ) throws -> RawResponse {
    try fixture.token(
      Flow.exchangeGrant,
      [("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType)]
        + (nonce.map { [("nonce", $0)] } ?? []) + items, client: client)
  }

  @Test func aTokenSignsIn() throws {
    let token = try fixture.provider.token(["email": "Carol@Example.com", "email_verified": true, "name": "Carol"])
    let answer = try exchange(token, [("scope", "openid email profile offline_access"), ("device_id", "phone-1")])
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer["issued_token_type"]?.string == "urn:ietf:params:oauth:token-type:access_token")
    #expect(answer["token_type"]?.string == "Bearer")
    #expect(answer["scope"]?.string == "openid email profile offline_access")
    #expect(answer.text("Cache-Control") == "no-store")
    #expect(answer["expires_in"] == 600)
    let claims = try flowClaims(answer["access_token"]?.string)
    let subject = try #require(claims["sub"]?.string)
    #expect(claims["device_id"]?.string == "phone-1")
    let identity = try flowClaims(answer["id_token"]?.string)
    #expect(identity["nonce"]?.string == "n-1")
    #expect(identity["email"]?.string == "carol@example.com")
    #expect(identity["email_verified"] == true)
    let refreshed = try fixture.refresh(
      try #require(answer["refresh_token"]?.string), [("device_id", "phone-1")])
    #expect(refreshed.status == 200)
    #expect(fixture.events("user.created").count == 1)
    // The next time it is the same user, whatever the token says of the e-mail address, and nobody can sign in as them by password.
    let again = try exchange(fixture.provider.token(["email": "new@example.com", "email_verified": true]))
    #expect(try flowClaims(again["access_token"]?.string)["sub"]?.string == subject)
    #expect(try fixture.store.user(id: subject)?.passwordHash == nil)
    // Another subject is another user.
    let other = try exchange(fixture.provider.token(["sub": "dave"]))
    #expect(try flowClaims(other["access_token"]?.string)["sub"]?.string != subject)
  }

  /// What only Unicode takes for the same letters is the address of another: the Kelvin sign is no K of a mail server's.
  @Test(arguments: [
    "\u{212A}im@example.com", "Kim@exa\u{212A}ple.com", "kim@example.com\u{212A}", "\u{C9}lodie@example.com",
    "e\u{301}lodie@example.com", "\u{E9}lodie@e\u{212A}ample.com", "\u{212B}ke@example.com",
  ])
  func anAddressIsNoOthersByUnicode(address: String) throws {
    for name in ["kim@example.com", "\u{E9}lodie@example.com", "\u{E5}ke@example.com"] {
      try fixture.store.add(User(id: "user_\(name.utf8.count)", name: name, passwordHash: nil, createdAt: fixture.now))
    }
    let claims: [String: JSONValue] = ["sub": "kelvin", "email": .string(address), "email_verified": true]
    let answer = try exchange(fixture.provider.token(claims), [("scope", "openid email")])
    let subject = try flowClaims(answer["access_token"]?.string)["sub"]?.string
    let user = try #require(try fixture.store.user(id: try #require(subject)))
    #expect(user.createdAt == fixture.now && user.name.contains("/") && user.claims["email"] == nil, "\(user)")
    #expect(fixture.events("identity.linked").isEmpty)
    // Just as it is kept, or with A to Z in another case, it is its owner's.
    for (name, typed) in [
      ("kim@example.com", "KIM@Example.com"), ("\u{E9}lodie@example.com", "\u{E9}LODIE@example.com"),
    ] {
      let token = try fixture.provider.token(["sub": .string(name), "email": .string(typed), "email_verified": true])
      let mine = try flowClaims(try exchange(token)["access_token"]?.string)["sub"]?.string
      #expect(mine == "user_\(name.utf8.count)")
    }
  }

  /// Its sign-ins end, and the way in by the provider is another's to take or to open anew.
  @Test func anIdentityThatIsUnlinkedOpensNothing() throws {
    let answer = try exchange(fixture.provider.token(["email": "alice@example.com", "email_verified": true]))
    let subject = try #require(try flowClaims(answer["access_token"]?.string)["sub"]?.string)
    #expect(subject == "user_alice")
    let link = try #require(try fixture.store.identityLinks(user: subject).first)
    let ended = try fixture.store.unlinkIdentity(
      issuer: link.issuer, user: subject, now: fixture.now, denyUntil: fixture.now.advanced(by: 900), audit: nil)
    #expect(ended?.count == 1)
    #expect(try fixture.refresh(try #require(answer["refresh_token"]?.string)).fault == "invalid_grant")
    #expect(fixture.last("refresh.refused", "reason") == "ended")
    #expect(try exchange(fixture.provider.token(["nonce": "n-1"])).status == 200, "a new account")
    // Meanwhile another subject has the address, and is let in.
    let other = try exchange(
      fixture.provider.token(["sub": "dave", "email": "alice@example.com", "email_verified": true]))
    #expect(try flowClaims(other["access_token"]?.string)["sub"]?.string == "user_alice")
  }

  @Test("an account that began with an identity is linked to it again, and that is recorded, where accounts are made")
  func anAccountOfItsOwnIsLinkedAgain() throws {
    func signIn() throws -> String? {
      try flowClaims(exchange(fixture.provider.token())["access_token"]?.string)["sub"]?.string
    }
    func linked() throws -> [AuditRecord] {
      try fixture.store.auditRecords(after: 0, limit: 100).filter { $0.event == "identity.linked" }
    }
    let user = try #require(try signIn()), link = try #require(try fixture.store.identityLinks(user: user).first)
    #expect(try linked().isEmpty && fixture.events("user.created").count == 1, "its making says so")
    _ = try fixture.store.unlinkIdentity(
      issuer: link.issuer, user: user, now: fixture.now, denyUntil: nil, audit: nil)
    try fixture.advance(by: 1)
    #expect(try signIn() == user)
    try #require(try linked().count == 1 && fixture.events("identity.linked").count == 1)
    #expect(try linked()[0].fields == [.init("user", user), .init("provider", "maker"), .init("client", "app")])
    try fixture.advance(by: 1)
    #expect(try signIn() == user)
    #expect(try linked().count == 1 && fixture.events("user.created").count == 1)
  }

  @Test("NA-01 what is wrong with an ID token") func wrongTokensAreRefused() throws {
    let provider = fixture.provider, stranger = try SigningKey.generate(.es256)
    let now = fixture.now.seconds
    let wrong: [(String, String, String)] = [
      ("aud of another app", "audience", try provider.token(["aud": "web.elsewhere"])),
      ("no aud", "audience", try provider.token(["aud": .null])),
      ("aud of another client of ours", "audience", try provider.token(["aud": "web.other"])),
      ("azp of another app", "authorized-party", try provider.token(["azp": "evil"])),
      ("also for others", "audience", try provider.token(["aud": ["web.app", "evil"]])),
      ("wrong iss", "issuer", try provider.token(["iss": "https://id.example.net.evil.example"])),
      ("iss with a slash", "issuer", try provider.token(["iss": "https://id.example.net/"])),
      ("no iss", "form", try provider.token(["iss": .null])),
      ("expired", "expired", try provider.token(["exp": .integer(now - 61)])),
      ("no exp", "missing-claim", try provider.token(["exp": .null])),
      ("issued in the future", "issued-in-future", try provider.token(["iat": .integer(now + 61)])),
      ("no sub", "missing-claim", try provider.token(["sub": .null])),
      ("nonce missing", "nonce", try provider.token(["nonce": .null])),
      ("nonce wrong", "nonce", try provider.token(["nonce": "n-2"])),
      ("key of a stranger", "unknown-key", try provider.token(by: stranger)),
      ("an access token", "type", try provider.token(type: "at+jwt")),
      ("no token", "form", "a.b.c"), ("two parts", "form", "e30.e30"), ("five parts", "form", "e30.e30.e30.e30.e30"),
      ("alg none", "algorithm", try unsigned(provider.token())),
      ("another's signature", "signature", try mixed(provider.token(), provider.token(["sub": "mallory"]))),
    ]
    for (name, reason, token) in wrong {
      let answer = try exchange(token)
      #expect(answer.status == 400 && answer.fault == "invalid_grant", "\(name): \(answer.status) \(answer.text)")
      #expect(fixture.last("native.refused", "reason") == reason, "\(name)")
    }
    #expect(try exchange(provider.token(), nonce: nil).fault == "invalid_grant")
    #expect(try exchange(provider.token(), nonce: "n-2").fault == "invalid_grant")
    #expect(fixture.events("native.refused").count == wrong.count + 2)
    #expect(fixture.events("user.created").isEmpty)
    #expect(try exchange(provider.token()).status == 200)
  }

  private func unsigned(_ token: String) throws -> String {
    let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    return header + "." + token.split(separator: ".")[1] + "."
  }

  private func mixed(_ one: String, _ two: String) throws -> String {
    let a = one.split(separator: "."), b = two.split(separator: ".")
    return "\(a[0]).\(b[1]).\(a[2])"
  }

  @Test("NA-01 replay") func aTokenIsGoodOnce() throws {
    let token = try fixture.provider.token()
    #expect(try exchange(token).status == 200)
    #expect(try exchange(token).fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "replay")
    #expect(fixture.events("native.refused").last?.isAlert == true)
    // Of an ECDSA signature (r, s) anybody makes another: (r, n - s). It is good, and the token is the same.
    let twin = try malleated(token)
    #expect(twin != token)
    #expect(try exchange(twin).fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "replay")
    // So it is until the token is over, and then that refuses it.
    try fixture.advance(by: 3_659)
    #expect(try exchange(token).fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "replay")
    try fixture.advance(by: 1)
    try fixture.store.prune(now: fixture.now, keepSeconds: 0)
    #expect(try exchange(token).fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "expired")
  }

  private func malleated(_ token: String) throws -> String {
    let parts = token.split(separator: ".").map(String.init)
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7,
      0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    var signature = try #require(Base64URL.decode(parts[2]))
    try #require(signature.count == 64)
    var borrow = 0
    for index in stride(from: 31, through: 0, by: -1) {
      let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
      borrow = difference < 0 ? 1 : 0
      signature[32 + index] = UInt8((difference + 256) % 256)
    }
    return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
  }

  @Test("NA-01 JWKS refetch is limited") func unknownKeysDoNotFloodTheProvider() throws {
    #expect(try exchange(fixture.provider.token()).status == 200)
    #expect(fixture.provider.fetches == 1)
    try fixture.advance(by: 61)
    for _ in 0..<20 {
      let stranger = try SigningKey.generate(.es256)
      #expect(try exchange(fixture.provider.token(by: stranger)).fault == "invalid_grant")
    }
    #expect(fixture.provider.fetches == 2)
    // A key that is new is found.
    let next = try SigningKey.generate(.rs256)
    fixture.provider.publish([fixture.provider.key, next])
    try fixture.advance(by: 61)
    #expect(try exchange(fixture.provider.token(by: next)).status == 200)
    #expect(fixture.provider.fetches == 3)
  }

  @Test func withoutKeysItIsToBeTriedAgain() throws {
    fixture.provider.answer(500)
    let token = try fixture.provider.token()
    let answer = try exchange(token)
    #expect(answer.status == 503 && answer.fault == "temporarily_unavailable")
    #expect(answer.text("Retry-After") == "10")
    #expect(fixture.events("native.unavailable").last?.isAlert == true)
    fixture.provider.answer(200)
    try fixture.advance(by: 10)
    // The token is not spent by that.
    #expect(try exchange(token).status == 200)
  }

  @Test func aProviderAtAPrivateAddressIsNotAsked() throws {
    let fixture = try FlowFixture { $0.privateHosts = [] }
    let token = try fixture.provider.token()
    let answer = try fixture.token(
      Flow.exchangeGrant,
      [("subject_token", token), ("subject_token_type", NativeSignInTests.idTokenType), ("nonce", "n-1")])
    #expect(answer.status == 503)
    #expect(fixture.provider.fetches == 0)
    #expect(!answer.text.contains("127.0.0.1"))
  }

  @Test("NA-01 an e-mail address links when it is verified") func onlyVerifiedAddressesLink() throws {
    let provider = fixture.provider
    func subject(_ answer: RawResponse) throws -> String? {
      try flowClaims(answer["access_token"]?.string)["sub"]?.string
    }
    for verified: JSONValue in [.null, false, "false", 1, "yes"] {
      let sub = "unverified \(verified.text)"
      let answer = try exchange(
        provider.token(["sub": .string(sub), "email": "alice@example.com", "email_verified": verified]))
      let made = try #require(try subject(answer))
      #expect(made != "user_alice")
      #expect(try fixture.store.user(id: made)?.claims["email"] == nil)
    }
    // Apple says it in a text.
    let linked = try exchange(provider.token(["email": "Alice@example.com", "email_verified": "true"]))
    #expect(try subject(linked) == "user_alice")
    #expect(fixture.events("identity.linked").count == 1)
    // From then on the subject counts and the address does not.
    #expect(try subject(exchange(provider.token())) == "user_alice")
    #expect(
      try subject(exchange(provider.token(["email": "bob@example.com", "email_verified": true]))) == "user_alice")
    // An address that changed hands does not take the account along.
    let stranger = try exchange(
      provider.token(["sub": "stranger", "email": "alice@example.com", "email_verified": true]))
    #expect(stranger.fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "linked-to-another")
  }

  @Test func newUsersAreMadeOnlyWhereTheClientHasThem() throws {
    var client = try #require(try fixture.store.client("app"))
    client.properties["native-new-users"] = nil
    try fixture.store.put(client)
    let count = try fixture.store.users().count
    #expect(try exchange(fixture.provider.token()).fault == "invalid_grant")
    #expect(fixture.last("native.refused", "reason") == "no-account")
    #expect(try fixture.store.users().count == count)
    let known = try fixture.provider.token(["email": "bob@example.com", "email_verified": true])
    #expect(try exchange(known).status == 200)
  }

  @Test func aTokenOfAPhonesClientForItsServersIsTaken() throws {
    #expect(try exchange(fixture.provider.token(["azp": "phone.app"])).status == 200)
    #expect(try exchange(fixture.provider.token(["aud": "phone.app", "sub": "b"])).status == 200)
    #expect(try exchange(fixture.provider.token(["iss": "id.example.net", "sub": "c"])).status == 200)
  }

  @Test func theNonceMayBeHashed() throws {
    // SHA-256 of "n-1".
    let hashed: JSONValue = .string(digest(Array("n-1".utf8)).map { String(format: "%02x", $0) }.joined())
    #expect(try exchange(fixture.provider.token(["nonce": hashed])).status == 200)
    var client = try #require(try fixture.store.client("app"))
    client.properties["native-nonce"] = "sha256"
    try fixture.store.put(client)
    #expect(try exchange(fixture.provider.token(["sub": "b"])).fault == "invalid_grant")
    #expect(try exchange(fixture.provider.token(["sub": "b", "nonce": hashed])).status == 200)
    // Who has only the token cannot send what was hashed.
    let found = try fixture.provider.token(["sub": "c", "nonce": hashed])
    #expect(try exchange(found, nonce: hashed.string).fault == "invalid_grant")
  }

  @Test func requestsThatAreNotUnderstoodAreRefused() throws {
    let token = try fixture.provider.token()
    func ask(_ items: [(String, String)], client: String = "app") throws -> String? {
      try fixture.token(Flow.exchangeGrant, items, client: client).fault
    }
    let type = ("subject_token_type", NativeSignInTests.idTokenType),
      good = [("subject_token", token), type, ("nonce", "n-1")]
    #expect(try ask([type, ("nonce", "n-1")]) == "invalid_request")
    #expect(try ask([("subject_token", token), ("nonce", "n-1")]) == "invalid_request")
    #expect(
      try ask([
        ("subject_token", token), ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"), ("nonce", "n-1"),
      ]) == "invalid_request")
    #expect(try ask(good + [("actor_token", "x")]) == "invalid_request")
    #expect(
      try ask(good + [("requested_token_type", "urn:ietf:params:oauth:token-type:saml2")]) == "invalid_request")
    #expect(try ask(good + [("audience", "elsewhere")]) == "invalid_target")
    #expect(try ask(good + [("resource", "https://elsewhere.example")]) == "invalid_target")
    #expect(try ask(good + [("scope", "admin")]) == "invalid_scope")
    #expect(try ask(good + [("device_id", "a b")]) == "invalid_request")
    #expect(try ask(good, client: "bound") == "invalid_request")
    #expect(try ask(good, client: "plain") == "unauthorized_client")
    // Nobody is asked for consent, so it is for our own apps alone.
    #expect(try ask(good, client: "third") == "unauthorized_client")
    // None of that has spent the token.
    #expect(try exchange(token, [("audience", "api")]).status == 200)
  }
}
