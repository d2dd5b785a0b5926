import Basics
import GatewayLab
import HTTPTestSupport
import Testing
import YAML

@Suite("What goes wrong on purpose") struct FaultTests {
  /// What a client's validation says to each wrong token.
  static let tokens: [(ProviderFault.Kind, String)] = [
    (.wrongNonce, "nonce"), (.noNonce, "nonce"), (.wrongAudience, "audience"), (.wrongTokenIssuer, "issuer"),
    (.wrongAccessTokenHash, "access-token-hash"), (.wrongSignature, "signature"), (.algorithmNone, "algorithm"),
    (.algorithmHMAC, "algorithm"), (.expired, "expired"), (.issuedInFuture, "issued-in-future"),
    (.unknownKeyID, "unknown-key"), (.duplicateMembers, "duplicate"),
  ]

  @Test(arguments: tokens.indices)
  func wrongTokens(index: Int) throws {
    let (kind, reason) = FaultTests.tokens[index]
    let lab = try ProviderFixture()
    var fault = ProviderFault(kind)
    fault.times = 1
    lab.provider.faults = [fault]
    let wrong = try lab.tokens()
    #expect(try lab.refusal(wrong.text("id_token"), access: wrong.text("access_token")) == reason)
    // Only once; and by the implicit flow too.
    let right = try lab.tokens()
    #expect(try lab.refusal(right.text("id_token"), access: right.text("access_token")) == nil)
    lab.provider.faults = [fault]
    let answer = try lab.signIn(["response_type": "id_token token"]).answer
    #expect(try lab.refusal(answer["id_token"] ?? "", .authorization, access: answer["access_token"]) == reason)
  }

  @Test(arguments: ["RS256", "PS256", "EdDSA"])
  func wrongSignaturesOfEveryKind(algorithm: String) throws {
    let lab = try ProviderFixture {
      $0.provider.options.algorithm = .init(named: algorithm) ?? .es256
      $0.provider.faults = [ProviderFault(.wrongSignature)]
    }
    #expect(try lab.refusal(try lab.tokens().text("id_token")) == "signature")
  }

  @Test func aTokenMayNameNoKey() throws {
    let lab = try ProviderFixture { $0.provider.faults = [ProviderFault(.noKeyID)] }
    let token = try lab.tokens().text("id_token")
    #expect(try lab.refusal(token) == nil)
    try lab.provider.rotateKeys()
    #expect(try lab.refusal(token) == nil)
  }

  @Test func aTokenMayBeAnotherUsers() throws {
    let lab = try ProviderFixture()
    let first = try lab.tokens()
    lab.provider.faults = [ProviderFault(.wrongSubject)]
    let token = try lab.refresh(first.text("refresh_token")).json().text("id_token")
    #expect(try lab.refusal(token, .refresh, subject: "alice") == "subject")
  }

  @Test func aKeyMayBePublishedLate() throws {
    let lab = try ProviderFixture()
    var fault = ProviderFault(.staleKeys)
    fault.times = 1
    lab.provider.faults = [fault]
    try lab.provider.rotateKeys()
    let token = try lab.tokens().text("id_token")
    #expect(try lab.refusal(token) == "unknown-key")
    #expect(try lab.refusal(token) == nil)
  }

  @Test func answersThatAreNotForThisSignIn() throws {
    let lab = try ProviderFixture()
    func answer(_ kind: ProviderFault.Kind) throws -> [String: String] {
      lab.provider.faults = [ProviderFault(kind)]
      return try lab.signIn().answer
    }
    let issuer = lab.provider.issuer
    #expect(try answer(.noIssuer)["iss"] == nil)
    #expect(
      try lab.get("/.well-known/openid-configuration").json()["authorization_response_iss_parameter_supported"] == true)
    #expect(try answer(.wrongIssuer)["iss"] == "http://elsewhere.invalid")
    #expect(try answer(.noState)["state"] == nil)
    let wrong = try answer(.wrongState)["state"]
    #expect(wrong != nil && wrong != "s t&a=te")
    let denied = try answer(.accessDenied)
    #expect(denied["error"] == "access_denied" && denied["state"] == "s t&a=te" && denied["iss"] == issuer)
    let rude = try answer(.accessDeniedWithoutState)
    #expect(rude["error"] == "access_denied" && rude["state"] == nil && rude["code"] == nil)
    // The form itself is no answer, so it takes nothing from the count.
    var once = ProviderFault(.noState)
    once.times = 1
    lab.provider.faults = [once]
    _ = try lab.get(lab.request())
    #expect(try lab.signIn().answer["state"] == nil && lab.signIn().answer["state"] != nil)
  }

  @Test func wrongMetadata() throws {
    let lab = try ProviderFixture()
    func metadata(_ kind: ProviderFault.Kind) throws -> JSONValue {
      lab.provider.faults = [ProviderFault(kind)]
      return try lab.get("/.well-known/openid-configuration").json()
    }
    #expect(try metadata(.foreignIssuer)["issuer"] == "http://elsewhere.invalid")
    let http = try metadata(.httpEndpoint)
    #expect(http["issuer"] == .string(lab.provider.issuer))
    #expect(http["token_endpoint"] == "http://elsewhere.invalid/token")
  }

  @Test(arguments: ProviderEndpoint.allCases)
  func troubleAtEveryEndpoint(endpoint: ProviderEndpoint) throws {
    let lab = try ProviderFixture()
    let method = [.token, .revoke, .introspect, .deviceAuthorization].contains(endpoint) ? "POST" : "GET"
    func answer(_ kind: ProviderFault.Kind, _ change: (inout ProviderFault) -> Void = { _ in }) throws -> RawResponse? {
      var fault = ProviderFault(kind)
      fault.endpoints = [endpoint]
      change(&fault)
      lab.provider.faults = [fault]
      return try exchange(lab.port, method, endpoint.path + "?x=1")
    }
    #expect(try answer(.internalError)?.status == 500)
    let unavailable = try answer(.unavailable) { $0.retryAfter = 7 }
    #expect(unavailable?.status == 503 && unavailable?.first("Retry-After") == "7")
    #expect(try answer(.tooManyRequests)?.status == 429)
    #expect(try answer(.cutConnection) == nil && answer(.cutAnswer) == nil)
    #expect(try answer(.garbage)?.status == 200)
    let huge = try answer(.hugeBody) { $0.size = 100_000 }
    #expect(huge?.body.count == 100_000)
    let redirect = try answer(.redirect)
    #expect(redirect?.status == 307 && redirect?.location == "http://elsewhere.invalid\(endpoint.path)?x=1")
    let clock = ContinuousClock(), start = clock.now
    #expect(try answer(.slow) { $0.delayMilliseconds = 200 } != nil)
    #expect(clock.now - start >= .milliseconds(190))
    // The others are as before.
    let other: ProviderEndpoint = endpoint == .jwks ? .discovery : .jwks
    #expect(try lab.get(other.path).status == 200)
  }

  @Test func afterAndTimes() throws {
    let lab = try ProviderFixture()
    var fault = ProviderFault(.internalError)
    (fault.endpoints, fault.after, fault.times) = ([.jwks], 1, 2)
    lab.provider.faults = [fault]
    #expect(try (0..<5).map { _ in try lab.get("/jwks").status } == [200, 500, 500, 200, 200])
    #expect(lab.provider.count(of: .jwks) == 5)
  }

  @Test func aCutAnswerIsCarriedOut() throws {
    let lab = try ProviderFixture()
    let token = try lab.tokens().text("refresh_token")
    lab.provider.faults = [ProviderFault(.cutAnswer)]
    let body = query([("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "mfs")])
    let form = ["Content-Type: application/x-www-form-urlencoded"]
    #expect(try exchange(lab.port, "POST", "/token", headers: form, body: body) == nil)
    lab.provider.faults = []
    // The client never saw the new one, and the old one was used.
    #expect(try lab.refresh(token).error == "invalid_grant")
  }

  @Test func everyFaultIsNamedAndSummed() throws {
    for kind in ProviderFault.Kind.allCases {
      let text = "version: 1\nidp: {faults: [{fault: \(kind.rawValue)}]}"
      let scenario = try Scenario(try YAMLDocument.parse(Array(text.utf8), file: "lab.yaml"))
      #expect(scenario.provider.faults == [ProviderFault(kind)] && !kind.summary.isEmpty)
    }
  }
}

extension RawResponse: Equatable {
  /// The same status and body.
  public static func == (a: RawResponse, b: RawResponse) -> Bool { a.status == b.status && a.body == b.body }
}

@Suite("The log of calls") struct CallLogTests {
  @Test func itTellsWhatHappenedAndNoSecret() throws {
    let lab = try ProviderFixture()
    let tokens = try lab.tokens()
    _ = try lab.refresh(tokens.text("refresh_token"))
    _ = try lab.refresh(tokens.text("refresh_token"))
    _ = try lab.post(lab.request(), [("username", "alice"), ("password", "wrong-secret")])
    _ = try lab.get("/nothing\u{1B}?token=secret")
    let log = lab.provider.calls.map(\.description)
    #expect(
      log == [
        "POST /authorize 303 code", "POST /token 200 authorization_code", "POST /token 200 refresh_token",
        "POST /token 400 invalid_grant", "POST /authorize 403 wrong_password", "GET /nothing\\u{1b} 404",
      ])
    #expect(lab.provider.count(of: .token) == 3)
    lab.provider.faults = [ProviderFault(.cutConnection)]
    #expect(try exchange(lab.port, "GET", "/jwks") == nil)
    #expect(lab.provider.calls.last?.description == "GET /jwks 0")
  }
}
