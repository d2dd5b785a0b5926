import Basics
import Foundation
import HTTPTestSupport

/// Names and small things of these tests.
enum Flow {
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
  static let exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"

  struct Problem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  static func form(_ items: [(String, String)]) -> String {
    items.map { encoded($0.0) + "=" + encoded($0.1) }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2E
        ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
    }.joined()
  }

  static func plain(_ html: some StringProtocol) -> String {
    [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].reduce(String(html)) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}

/// A browser that keeps cookies and follows no redirect.
final class FlowBrowser {
  let fixture: FlowFixture
  var cookies: [String: String] = [:]

  init(_ fixture: FlowFixture) { self.fixture = fixture }

  func send(_ method: String, _ target: String, headers: [String] = [], body: String? = nil) throws -> RawResponse {
    let shown = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    let response = try fixture.send(
      method, target, headers: headers + (shown.isEmpty ? [] : ["Cookie: " + shown]), body: body)
    for field in response.all("Set-Cookie") {
      let parts = field.components(separatedBy: "; ")
      let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      cookies[pair[0]] = parts.contains("Max-Age=0") ? nil : pair[1]
    }
    return response
  }

  func get(_ target: String) throws -> RawResponse { try send("GET", target) }

  func post(_ target: String, _ items: [(String, String)], headers: [String] = []) throws -> RawResponse {
    try send(
      "POST", target, headers: headers + ["Content-Type: application/x-www-form-urlencoded"], body: Flow.form(items))
  }

  /// Presses the button of a form on a page, the first form that has it.
  func press(
    _ action: String, on page: RawResponse, _ typed: [(String, String)] = [], changing: [String: String] = [:],
    headers: [String] = [], form number: Int = 0
  ) throws -> RawResponse {
    let forms = page.forms.filter { $0.actions.contains(action) }
    guard forms.indices.contains(number) else {
      throw Flow.Problem("no button '\(action)': \(page.status) \(page.text)")
    }
    let hidden = forms[number].hidden.map { ($0.0, changing[$0.0] ?? $0.1) }
    return try post(forms[number].address, hidden + typed + [("action", action)], headers: headers)
  }

  func signIn(
    _ page: RawResponse, as user: String = "alice@example.com", password: String = FlowFixture.password
  ) throws -> RawResponse {
    try press("sign-in", on: page, [("username", user), ("password", password)])
  }

  /// Signs in on one of the server's own pages and returns it.
  func open(_ path: String, as user: String = "alice@example.com") throws -> RawResponse {
    let page = try get(path)
    guard page.text.contains("current-password\""), page.text.contains("name=\"username\"") else { return page }
    let answer = try signIn(page, as: user)
    guard answer.status == 303, let next = answer.text("Location") else {
      throw Flow.Problem("not signed in: \(answer.status) \(answer.text)")
    }
    return try get(next)
  }
}

extension RawResponse {
  /// A form of a page.
  struct Form {
    let address: String
    let hidden: [(String, String)]
    let actions: [String]
  }

  var forms: [Form] {
    text.components(separatedBy: "<form ").dropFirst().map { part in
      let body = part.components(separatedBy: "</form>")[0]
      return Form(
        address: body.firstMatch(of: /action="([^"]*)"/).map { Flow.plain($0.1) } ?? "",
        hidden: body.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map {
          (Flow.plain($0.1), Flow.plain($0.2))
        },
        actions: body.matches(of: /<button name="action" value="([^"]*)">/).map { String($0.1) })
    }
  }

  /// A header field's value, whatever its case.
  func text(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

  /// A member of a JSON body.
  subscript(_ name: String) -> JSONValue? { (try? JSONReader.value(body))?[name] }

  /// `error` of it.
  var fault: String? { self["error"]?.string }
}

/// The claims of a token, not verified.
func flowClaims(_ token: String?) throws -> JSONValue {
  let parts = (token ?? "").split(separator: ".")
  guard parts.count == 3 else { throw Flow.Problem("no token") }
  var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
  while text.utf8.count % 4 != 0 { text += "=" }
  return try JSONReader.value([UInt8](Data(base64Encoded: String(text)) ?? Data()))
}
