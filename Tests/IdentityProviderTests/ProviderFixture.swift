import Basics
import GatewayLab
import HTTPTestSupport
import JOSE
import SecureMemory
import Testing

/// A lab with an identity provider and the users alice and bob, whose clock stands still at 2026-09-04T18:00:00Z until it is
/// moved.
struct ProviderFixture {
  static let password = "correct horse"
  static let redirect = "http://127.0.0.1:53999/callback"
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let nonce = "n-0S6_WzA2Mj"
  static let start = Timestamp(seconds: 1_788_544_800)

  let lab: Lab
  let provider: IdentityProvider
  let port: UInt16
  let gatewayPort: UInt16

  init(_ change: (inout Scenario) -> Void = { _ in }) throws {
    var scenario = Scenario()
    // Made in no time, unlike RSA keys.
    scenario.provider.options.algorithm = .es256
    change(&scenario)
    lab = try Lab(scenario: scenario, providerPort: 0, clock: LabClock { ProviderFixture.start })
    provider = try #require(lab.provider)
    for user in ["alice", "bob"] {
      try lab.gateway.addUser(user, password: SecureBytes(publicText: ProviderFixture.password))
    }
    port = try ProviderFixture.port(provider.issuer)
    gatewayPort = try ProviderFixture.port(lab.origin)
  }

  private static func port(_ origin: String) throws -> UInt16 {
    try #require(origin.split(separator: ":").last.flatMap { UInt16($0) })
  }

  var now: Timestamp { lab.clock.now() }

  func get(_ path: String, _ headers: [String] = [], place: SourceLocation = #_sourceLocation) throws -> RawResponse {
    try #require(try exchange(port, "GET", path, headers: headers), sourceLocation: place)
  }

  func post(
    _ path: String, _ fields: [(String, String)], _ headers: [String] = [], place: SourceLocation = #_sourceLocation
  ) throws -> RawResponse {
    let form = "Content-Type: application/x-www-form-urlencoded"
    return try #require(
      try exchange(port, "POST", path, headers: [form] + headers, body: query(fields)), sourceLocation: place)
  }

  func gateway(
    _ method: String, _ path: String, _ headers: [String] = [], body: String? = nil,
    place: SourceLocation = #_sourceLocation
  ) throws -> RawResponse {
    try #require(try exchange(gatewayPort, method, path, headers: headers, body: body), sourceLocation: place)
  }

  /// An authorization request for a code; `changes` replaces its parameters, and nil takes one away.
  func request(_ changes: [String: String?] = [:]) -> String {
    var fields: [(String, String?)] = [
      ("client_id", "mfs"), ("redirect_uri", ProviderFixture.redirect), ("response_type", "code"),
      ("scope", "openid profile email"), ("state", "s t&a=te"), ("nonce", ProviderFixture.nonce),
      ("code_challenge", ProviderFixture.challenge), ("code_challenge_method", "S256"),
    ]
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      fields.removeAll { $0.0 == name }
      fields.append((name, value))
    }
    return "/authorize?" + query(fields.compactMap { field in field.1.map { (field.0, $0) } })
  }

  /// Signs a user in with the form and returns the answer, which goes to the redirect.
  func signIn(
    _ changes: [String: String?] = [:], user: String = "alice", place: SourceLocation = #_sourceLocation
  ) throws -> RawResponse {
    try post(
      request(changes), [("username", user), ("password", ProviderFixture.password), ("action", "sign-in")],
      place: place)
  }

  /// A code for alice.
  func code(_ changes: [String: String?] = [:], place: SourceLocation = #_sourceLocation) throws -> String {
    try #require(try signIn(changes, place: place).answer["code"], sourceLocation: place)
  }

  func exchangeCode(
    _ code: String, verifier: String? = verifier, redirect: String = redirect, client: String = "mfs"
  ) throws -> RawResponse {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("client_id", client),
    ]
    if let verifier { fields.append(("code_verifier", verifier)) }
    return try post("/token", fields)
  }

  /// What a sign-in of alice brings.
  func tokens(_ changes: [String: String?] = [:], place: SourceLocation = #_sourceLocation) throws -> JSONValue {
    let response = try exchangeCode(try code(changes, place: place))
    #expect(response.status == 200, "\(response.text)", sourceLocation: place)
    return try response.json()
  }

  func refresh(_ token: String, scope: String? = nil) throws -> RawResponse {
    try post(
      "/token",
      [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "mfs")]
        + (scope.map { [("scope", $0)] } ?? []))
  }

  /// The published keys.
  func keys() throws -> JSONWebKeySet { try JSONWebKeySet(json: try get("/jwks").body) }

  /// Validates an ID token as a client does; the refusal's name, or nil.
  func refusal(
    _ token: String, _ origin: IDTokenExpectation.Origin = .code, nonce: String? = nonce, access: String? = nil,
    subject: String? = nil
  ) throws -> String? {
    let expected = IDTokenExpectation(
      origin, nonce: try nonce.map { SecureBox(try SecureBytes(publicText: $0)) },
      accessToken: try access.map { SecureBox(try SecureBytes(publicText: $0)) }, subject: subject)
    let secret = try SecureBytes(publicText: token)
    let keys = try keys()
    do throws(TokenRefusal) {
      _ = try IDTokenValidator(issuer: provider.issuer, clientID: "mfs")
        .validate(secret, expecting: expected, keys: keys, now: now)
      return nil
    } catch { return error.reason.name }
  }
}

/// Names and values as a form.
func query(_ fields: [(String, String)]) -> String {
  fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
}

func encoded(_ text: String) -> String {
  text.utf8.map { byte in
    let isPlain = byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
    let hex = String(byte, radix: 16, uppercase: true)
    return isPlain || byte == 0x2D || byte == 0x5F || byte == 0x2E
      ? String(Unicode.Scalar(byte)) : "%" + (hex.count == 1 ? "0" : "") + hex
  }.joined()
}

extension RawResponse {
  func json() throws -> JSONValue { try JSONReader.value(body) }

  /// The error and its description's beginning; nil when there is none.
  var error: String? { (try? json())?["error"]?.string }

  var location: String { first("Location") ?? "" }

  /// The parameters that stand in the redirect's address, in its query or its fragment.
  var answer: [String: String] {
    let mark = location.firstIndex(of: "#") ?? location.firstIndex(of: "?") ?? location.endIndex
    var items: [String: String] = [:]
    for part in location[mark...].dropFirst().split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      items[halves[0]] = halves.count > 1 ? halves[1].decoded : ""
    }
    return items
  }

  /// The cookies that it sets, as a request's field.
  var cookies: [String] {
    let pairs = all("Set-Cookie").compactMap { $0.split(separator: ";").first.map(String.init) }
    return pairs.isEmpty ? [] : ["Cookie: " + pairs.joined(separator: "; ")]
  }
}

extension String {
  var decoded: String {
    var bytes: [UInt8] = [], rest = utf8[...]
    while let byte = rest.popFirst() {
      if byte == 0x25, let code = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        bytes.append(code)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONValue {
  func text(_ name: String) -> String { self[name]?.string ?? "" }
}

/// The claims of a token, unverified.
func claims(_ token: String) throws -> JSONValue {
  let parts = token.split(separator: ".", omittingEmptySubsequences: false)
  let payload = try #require(parts.dropFirst().first)
  return try JSONReader.value(try #require(Base64URL.decode(String(payload))))
}
