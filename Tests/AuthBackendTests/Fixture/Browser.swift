import Foundation
import HTTPTestSupport

/// A browser that shows its cookies as RFC 6265 has it and follows no redirect.
final class Browser {
  let fixture: BackendFixture
  var cookies: [String: String] = [:]
  /// Sent with every request.
  var headers: [String] = []

  init(_ fixture: BackendFixture) { self.fixture = fixture }

  func send(_ method: String, _ target: String, headers: [String] = [], body: String? = nil) throws -> RawResponse {
    var all = self.headers + headers
    if !cookies.isEmpty {
      all.append(
        "Cookie: " + cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
    }
    let response = try fixture.send(method, target, headers: all, body: body)
    for field in response.all("Set-Cookie") {
      let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let isGone = parts.contains("Max-Age=0")
      cookies[pair[0]] = isGone ? nil : pair[1]
    }
    return response
  }

  func get(_ target: String) throws -> RawResponse { try send("GET", target) }

  func post(_ target: String, _ items: [(String, String)], headers: [String] = []) throws -> RawResponse {
    try send(
      "POST", target, headers: ["Content-Type: application/x-www-form-urlencoded"] + headers, body: formText(items))
  }

  /// Fills in the form on a page and presses a button.
  func submit(_ page: RawResponse, _ action: String, _ typed: [(String, String)] = []) throws -> RawResponse {
    guard let form = PageForm(page.text) else {
      throw BackendFixture.NoAnswer(description: "no form on the page: \(page.status) \(page.text.prefix(2_000))")
    }
    return try post(form.address, form.hidden + typed + [("action", action)])
  }

  /// Asks, and signs in, or goes on as who is signed in, when a page asks for that.
  func authorize(_ asked: Asked, user: String = "alice", password: String = Registry.password) throws -> RawResponse {
    let page = try get(asked.target)
    guard page.status == 200 else { return page }
    if page.text.contains("value=\"continue\"") { return try submit(page, "continue") }
    guard page.text.contains("name=\"password\"") else { return page }
    return try submit(page, "sign-in", [("username", user), ("password", password)])
  }
}

/// The form on a page, as a browser reads it.
struct PageForm {
  let address: String
  let hidden: [(String, String)]

  init?(_ text: String) {
    guard let action = text.firstMatch(of: /<form method="post" action="([^"]*)"/)?.1 else { return nil }
    address = PageForm.unescaped(String(action))
    hidden = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
      (PageForm.unescaped(String($0.1)), PageForm.unescaped(String($0.2)))
    }
  }

  private static func unescaped(_ text: String) -> String {
    [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
