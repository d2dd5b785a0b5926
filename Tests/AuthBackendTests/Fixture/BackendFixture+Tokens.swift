import BackendKeys
import Basics
import HTTPTestSupport
import Testing

/// What the token endpoint gave.
struct Tokens: Sendable {
  let access: String
  let refresh: String
  let id: String?
  let json: JSONValue

  init(_ response: RawResponse) throws {
    guard response.status == 200 else {
      throw BackendFixture.NoAnswer(description: "no tokens: \(response.status) \(response.text)")
    }
    json = try response.json()
    access = json["access_token"]?.string ?? ""
    refresh = json["refresh_token"]?.string ?? ""
    id = json["id_token"]?.string
  }

  /// The ID token; empty when there is none.
  var idToken: String { id ?? "" }
  var sid: String { (try? decoded(access))?.claims["sid"]?.string ?? "" }
  var jti: String { (try? decoded(access))?.claims["jti"]?.string ?? "" }
}

extension BackendFixture {
  /// Signs a user in in a new browser; the code that came back.
  func code(_ asked: Asked = Asked(), user: String = "alice", in browser: Browser? = nil) throws -> String {
    let answer = try (browser ?? Browser(self)).authorize(asked, user: user)
    guard answer.status == 303, let code = answer.destination?["code"] else {
      throw NoAnswer(description: "no code: \(answer.status) \(answer.first("Location") ?? answer.text)")
    }
    return code
  }

  /// What a client sends for a code, and how it may differ from what is right.
  func redeem(
    _ code: String, _ asked: Asked = Asked(), verifier: String? = Asked.verifier, client: String? = nil,
    redirect: String? = nil, headers: [String] = []
  ) throws -> RawResponse {
    var items = [
      ("grant_type", "authorization_code"), ("code", code), ("client_id", client ?? asked["client_id"]),
      ("redirect_uri", redirect ?? asked["redirect_uri"]),
    ]
    if let verifier { items.append(("code_verifier", verifier)) }
    if !asked["device_id"].isEmpty { items.append(("device_id", asked["device_id"])) }
    return try post(asked.path.replacing("/authorize", with: "/oauth/token"), items, headers: headers)
  }

  /// Signs a user in and redeems the code.
  func signIn(_ asked: Asked = Asked(), user: String = "alice", in browser: Browser? = nil) throws -> Tokens {
    try Tokens(redeem(code(asked, user: user, in: browser), asked))
  }

  func refresh(
    _ token: String, client: String = "app", device: String? = nil, scope: String? = nil, headers: [String] = []
  ) throws -> RawResponse {
    var items = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)]
    if let device { items.append(("device_id", device)) }
    if let scope { items.append(("scope", scope)) }
    return try post("/oauth/token", items, headers: headers)
  }

  /// Refreshes on a connection that is lost when the answer has come and nobody has read it.
  func loseAnswer(toRefreshOf token: String, client: String, device: String) throws {
    let form = formText([
      ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client), ("device_id", device),
    ])
    let connection = try RawConnection(port: server.port)
    connection.send(
      "POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Content-Length: \(form.utf8.count)\r\n\r\n" + form)
    guard connection.waitForInput(milliseconds: 20_000) else {
      throw NoAnswer(description: "the refresh was not answered")
    }
  }

  func revoke(_ token: String, client: String = "app", hint: String? = nil) throws -> RawResponse {
    try post(
      "/oauth/revoke", [("token", token), ("client_id", client)] + (hint.map { [("token_type_hint", $0)] } ?? []))
  }

  /// The status that `userinfo` gives for an access token: 200 while it counts.
  func userInfo(_ token: String) throws -> RawResponse {
    try send("GET", "/oauth/userinfo", headers: ["Authorization: Bearer \(token)"])
  }

  /// Which of some refresh tokens are live, as the store has it: asking changes nothing.
  func live(_ tokens: [String]) throws -> [String] {
    try tokens.filter { text in
      guard let token = RefreshToken(text) else { return false }
      let presented = try backend.peppers.hashes(token, now: clock.now)
      guard let family = try store.family(handle: token.handle, presented: presented) else { return false }
      return family.end == nil && presented.contains(family.current) && clock.now < family.expiresAt
    }
  }

  /// How many records the audit log has of an event.
  func audited(_ event: String) throws -> Int {
    try store.auditRecords(after: 0, limit: 100_000).count { $0.event == event }
  }
}

/// Runs a body on threads of their own, all at the same time, and returns what each gave, in order.
func inParallel<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> R) throws -> [R] {
  let gate = Monitor(0), results = Monitor<[Int: Result<R, any Error>]>([:])
  let threads = try (0..<count).map { number in
    try Basics.Thread {
      gate.withLock { $0 += 1 }
      gate.wait { $0 == count ? () : nil }
      let result = Result { try body(number) }
      results.withLock { $0[number] = result }
    }
  }
  for thread in threads { thread.join() }
  return try results.withLock { all in Result { try (0..<count).map { try #require(all[$0]).get() } } }.get()
}
