import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

/// A request, and each byte of the answer that Sync Gateway 4.1 gives it, taken from what its source does. Only the `Date`
/// line is left out. `{id}` is the id of the session that `before` made, `{new}` any forty lower-case hexadecimal digits.
struct AnswerRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var options: @Sendable (inout Scenario) -> Void = { _ in }
  /// What happens first; returns the session id of the request.
  var before: @Sendable (LabFixture) throws -> String = { _ in "" }
  let request: [String]
  var body = ""
  /// The status line, the header lines in their order, and the body.
  let status: String
  var headers: [String] = []
  var answer = ""
}

extension AnswerRow {
  static let challenge = #"WWW-Authenticate: Basic realm="Couchbase Sync Gateway""#
  static let alice =
    #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":"alice"}}"#
  static let nobody =
    #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{},"name":null}}"#
  static let login = #"{"name":"alice","password":"correct horse"}"#
  static let newCookie = "Set-Cookie: SyncGatewaySession={new}; Path=/mfs; Expires=Sat, 05 Sep 2026 18:00:00 GMT"
  static let post = "POST /mfs/_session HTTP/1.1", get = "GET /mfs/_session HTTP/1.1"
  static let delete = "DELETE /mfs/_session HTTP/1.1", document = "GET /mfs/doc HTTP/1.1"
  static let withCookie = "Cookie: SyncGatewaySession={id}"

  /// The answer of an error: `{"error":TEXT,"reason":REASON}`, with 404's text being `not_found`.
  static func error(
    _ what: String, _ status: Int, _ reason: String, _ request: [String], body: String = "", headers: [String] = [],
    options: @escaping @Sendable (inout Scenario) -> Void = { _ in },
    before: @escaping @Sendable (LabFixture) throws -> String = { _ in "" }
  ) -> AnswerRow {
    let texts = [400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 503: "Service Unavailable"]
    let text = texts[status] ?? ""
    return AnswerRow(
      testDescription: what, options: options, before: before, request: request, body: body,
      status: "HTTP/1.1 \(status) \(text)", headers: headers,
      answer: #"{"error":"\#(status == 404 ? "not_found" : text)","reason":"\#(reason)"}"#)
  }

  static let signIn: @Sendable (LabFixture) throws -> String = { try $0.signIn() }

  static let create: [AnswerRow] = [
    AnswerRow(
      testDescription: "Basic, empty body", request: [post, LabFixture.basic], status: "HTTP/1.1 200 OK",
      headers: [newCookie], answer: alice),
    AnswerRow(
      testDescription: "name and password in the body", request: [post], body: login, status: "HTTP/1.1 200 OK",
      headers: [newCookie], answer: alice),
    AnswerRow(
      testDescription: "a body that is no JSON beside a right Basic", request: [post, LabFixture.basic], body: "x",
      status: "HTTP/1.1 200 OK", headers: [newCookie], answer: alice),
    AnswerRow(
      testDescription: "all attributes of the cookie",
      options: {
        $0.options.cookieName = "own"
        $0.options.cookieHTTPOnly = true
        $0.options.cookieSecure = true
        $0.options.cookieSameSite = .strict
        $0.options.sessionTTL = 60
      }, request: [post, LabFixture.basic], status: "HTTP/1.1 200 OK",
      headers: [
        "Set-Cookie: own={new}; Path=/mfs; Expires=Fri, 04 Sep 2026 18:01:00 GMT; HttpOnly; Secure; SameSite=Strict"
      ], answer: alice),
    AnswerRow(
      testDescription: "a session for one use",
      request: ["POST /mfs/_session?one_time=true HTTP/1.1", LabFixture.basic],
      status: "HTTP/1.1 200 OK",
      answer: #"{"authentication_handlers":["default","cookie"],"ok":true,"one_time_session_id":"{new}","#
        + #""userCtx":{"channels":{"!":1},"name":"alice"}}"#),
    AnswerRow(
      testDescription: "the three fields of the admin API", options: { $0.options.sessionBody = .triple },
      request: [post, LabFixture.basic], status: "HTTP/1.1 200 OK",
      answer: #"{"session_id":"{new}","expires":"2026-09-05T18:00:00Z","cookie_name":"SyncGatewaySession"}"#),
    .error("wrong password, Basic", 401, "Invalid login", [post, LabFixture.wrongBasic], headers: [challenge]),
    .error(
      "wrong password, Basic, without challenges", 401, "Invalid login", [post, LabFixture.wrongBasic],
      options: { $0.options.wwwAuthenticate = false }),
    .error(
      "wrong Basic, right body", 401, "Invalid login", [post, LabFixture.wrongBasic], body: login, headers: [challenge]),
    .error(
      "wrong Basic, good cookie", 401, "Invalid login", [post, LabFixture.wrongBasic, withCookie], headers: [challenge],
      before: signIn),
    .error("wrong password, body", 401, "Invalid login", [post], body: #"{"name":"alice","password":"x"}"#),
    .error("unknown user, body", 401, "Invalid login", [post], body: #"{"name":"nobody","password":"x"}"#),
    .error(
      "disabled user, Basic", 401, "Invalid login", [post, LabFixture.basic], headers: [challenge],
      options: { $0.options.disabledUsers = ["alice"] }),
    .error(
      "disabled user, body", 401, "Invalid login", [post], body: login,
      options: { $0.options.disabledUsers = ["alice"] }),
    .error("no credentials, empty body", 400, "Bad JSON: EOF", [post]),
    .error("Bearer where there is no provider", 400, "Bad JSON: EOF", [post, "Authorization: Bearer a.b.c"]),
    .error("an unknown cookie, empty body", 400, "Bad JSON: EOF", [post, "Cookie: SyncGatewaySession=0"]),
    .error(
      "a body that is no JSON", 400, "Bad JSON: invalid character 'x' looking for beginning of value", [post], body: "x"
    ),
    .error(
      "an unknown field", 400, #"JSON Unknown Field: json: unknown field \"pass\": unrecognized JSON field"#, [post],
      body: #"{"name":"alice","pass":"x"}"#),
    .error(
      "Basic where passwords are turned off", 401, "Login required", [post, LabFixture.basic],
      options: { $0.options.passwordAuth = false }),
    .error(
      "a body where passwords are turned off", 401, "Login required", [post], body: login,
      options: { $0.options.passwordAuth = false }),
    .error("another database, Basic", 401, "Invalid login", ["POST /other/_session HTTP/1.1", LabFixture.basic]),
    .error("another database, nothing", 401, "Login required", ["POST /other/_session HTTP/1.1"]),
    .error("an Origin", 400, "No CORS", [post, LabFixture.basic, "Origin: https://a.example"]),
    AnswerRow(
      testDescription: "an empty object where guests are let in, Basic beside it", options: { $0.options.guest = true },
      request: [post, LabFixture.basic], body: "{}", status: "HTTP/1.1 200 OK", headers: [newCookie],
      answer: #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"channels":{"!":1},"name":null}}"#),
    .error(
      "a user disabled since, by cookie", 400, "User is disabled", [post, withCookie],
      before: {
        let id = try $0.signIn()
        $0.gateway.setDisabled(true, user: "alice")
        return id
      }),
    .error(
      "an offline database", 503, "DB is currently under maintenance", [post, LabFixture.basic],
      options: { $0.faults = [Fault(.databaseOffline)] }),
  ]
}
