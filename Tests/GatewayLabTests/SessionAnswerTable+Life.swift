import GatewayLab
import HTTPTestSupport
import SecureMemory
import Testing

/// Reading and ending sessions, and what a session's own end is.
extension AnswerRow {
  private static func extended(_ expires: String) -> String {
    "Set-Cookie: SyncGatewaySession={id}; Path=/mfs; Expires=\(expires)"
  }
  private static let cleared = "Set-Cookie: SyncGatewaySession=; Expires="

  private static func later(_ seconds: Int64) -> @Sendable (LabFixture) throws -> String {
    {
      let id = try $0.signIn()
      $0.lab.clock.advance(by: seconds)
      return id
    }
  }

  private static let oneTime: @Sendable (LabFixture) throws -> String = {
    let text = try $0.send("POST", "/mfs/_session?one_time=true", [LabFixture.basic]).text
    return try String(#require(text.firstMatch(of: /"one_time_session_id":"([0-9a-f]{40})"/)).1)
  }

  private static func ok(
    _ what: String, _ request: [String], headers: [String] = [], _ answer: String,
    options: @escaping @Sendable (inout Scenario) -> Void = { _ in },
    before: @escaping @Sendable (LabFixture) throws -> String = { _ in "" }
  ) -> AnswerRow {
    AnswerRow(
      testDescription: what, options: options, before: before, request: request, status: "HTTP/1.1 200 OK",
      headers: headers, answer: answer)
  }

  static let read: [AnswerRow] = [
    ok("by cookie", [get, withCookie], alice, before: signIn),
    ok("by Basic", [get, LabFixture.basic], alice),
    ok("by nothing", [get], nobody),
    ok("by an unknown cookie", [get, "Cookie: SyncGatewaySession=0"], nobody),
    ok("by the cookie of an ended session", [get, withCookie], nobody, before: later(86_400)),
    ok("by Bearer where there is no provider", [get, "Authorization: Bearer a.b.c"], nobody),
    .error("by a wrong Basic", 401, "Invalid login", [get, LabFixture.wrongBasic], headers: [challenge]),
    ok("a tenth of the time gone", [get, withCookie], alice, before: later(8_640)),
    ok(
      "more than a tenth gone", [get, withCookie], headers: [extended("Sat, 05 Sep 2026 20:24:01 GMT")], alice,
      before: later(8_641)),
    .error(
      "another database by cookie", 401, "Invalid login", ["GET /other/_session HTTP/1.1", withCookie], before: signIn),
  ]

  static let end: [AnswerRow] = [
    ok(
      "the session in use", [delete, withCookie], headers: [cleared + "Fri, 04 Sep 2026 18:00:00 GMT"], "",
      before: signIn),
    ok(
      "one that is extended at that", [delete, withCookie],
      headers: [extended("Sat, 05 Sep 2026 20:24:01 GMT"), cleared + "Fri, 04 Sep 2026 20:24:01 GMT"], "",
      before: later(8_641)),
    .error("without a cookie", 401, "Login required", [delete], headers: [challenge]),
    .error("without a cookie, by Basic", 404, "no session", [delete, LabFixture.basic]),
    .error("without a cookie, as a guest", 404, "no session", [delete], options: { $0.options.guest = true }),
    .error("a stale cookie", 401, "Session Invalid", [delete, withCookie], before: later(86_400)),
    .error(
      "an ended session", 401, "Session Invalid", [delete, withCookie],
      before: {
        let id = try $0.signIn()
        _ = try $0.send("DELETE", "/mfs/_session", [cookie(id)])
        return id
      }),
    .error("an Origin", 400, "No CORS", [delete, withCookie, "Origin: https://a.example"], before: signIn),
  ]

  static let use: [AnswerRow] = [
    ok("a live session", [document, withCookie], #"{"_id":"doc"}"#, before: signIn),
    .error("no credentials", 401, "Login required", [document], headers: [challenge]),
    .error("an unknown cookie", 401, "Session Invalid", [document, "Cookie: SyncGatewaySession=0"]),
    .error("a session that expired", 401, "Session Invalid", [document, withCookie], before: later(86_400)),
    .error(
      "a session for one use, used", 401, "Session Invalid", [document, withCookie],
      before: {
        let id = try oneTime($0)
        _ = try $0.send("GET", "/mfs/doc", [cookie(id)])
        return id
      }),
    // Never extended, however old: it lives for five minutes.
    ok(
      "a session for one use, nearly over", [document, withCookie], #"{"_id":"doc"}"#,
      before: {
        let id = try oneTime($0)
        $0.lab.clock.advance(by: 299)
        return id
      }),
    .error(
      "a session for one use, over", 401, "Session Invalid", [document, withCookie],
      before: {
        let id = try oneTime($0)
        $0.lab.clock.advance(by: 300)
        return id
      }),
    .error(
      "the password changed", 401, "Session no longer valid for user", [document, withCookie],
      before: {
        let id = try $0.signIn()
        try $0.gateway.changePassword(of: "alice", to: SecureBytes(publicText: "another"))
        return id
      }),
    ok(
      "the user disabled since", [document, withCookie], #"{"_id":"doc"}"#,
      before: {
        let id = try $0.signIn()
        $0.gateway.setDisabled(true, user: "alice")
        return id
      }),
    .error("an unknown path", 404, "unknown URL", ["GET /mfs/_unknown HTTP/1.1", withCookie], before: signIn),
  ]
}
