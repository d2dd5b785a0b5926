@testable import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import HTTPTestSupport
import Testing

/// The kinds of form that the server's pages have.
enum FormKind: CaseIterable, Sendable {
  case signIn, signOut, consent, proceed, userCode, deviceCode, password, devices

  /// A kind that the server gets besides is not forgotten here: without it this does not compile.
  init(_ form: AuthBackend.PageForm) {
    switch form {
    case .signIn: self = .signIn
    case .signOut: self = .signOut
    case .consent: self = .consent
    case .proceed: self = .proceed
    case .userCode: self = .userCode
    case .deviceCode: self = .deviceCode
    case .password: self = .password
    case .devices: self = .devices
    }
  }
}

/// Nobody else presses a button for who is signed in (RFC 9700 4.7, RFC 6749 10.12).
@Suite("Tokens of forms")
struct FormTokenTests {
  /// A form as a browser has it before it, filled in.
  private struct Shown {
    let form: PageForm
    let typed: [(String, String)]

    init(_ page: RawResponse, _ action: String, _ typed: [(String, String)] = []) throws {
      form = try #require(PageForm(page.text), "\(page.status) \(page.text.prefix(500))")
      self.typed = typed + [("action", action)]
    }

    /// What is posted, with another token, or with none.
    func items(token: String?) -> [(String, String)] {
      form.hidden.filter { $0.0 != "csrf" } + (token.map { [("csrf", $0)] } ?? []) + typed
    }

    var token: String? { form.hidden.first { $0.0 == "csrf" }?.1 }
  }

  private static let credentials = [("username", "alice"), ("password", Registry.password)]

  private func show(_ kind: FormKind, _ fixture: BackendFixture, in browser: Browser) throws -> Shown {
    if kind != .signIn { _ = try fixture.code(Asked().with("device_id", "dev-1"), in: browser) }
    switch kind {
    case .signIn: return try Shown(browser.get(Asked().target), "sign-in", FormTokenTests.credentials)
    case .signOut: return try Shown(browser.get("/oauth/end_session"), "sign-out")
    case .consent: return try Shown(browser.get(Asked("third", scope: "openid").target), "allow")
    case .proceed: return try Shown(browser.get(Asked("scheme").target), "continue")
    case .userCode: return try Shown(browser.get("/device"), "continue", [("user_code", userCode(fixture))])
    case .deviceCode:
      let page = try browser.submit(browser.get("/device"), "continue", [("user_code", userCode(fixture))])
      return try Shown(page, "allow")
    case .password:
      let new = "another password than that"
      return try Shown(
        browser.get("/password"), "change",
        [("password", Registry.password), ("new-password", new), ("new-password-again", new)])
    case .devices:
      _ = try fixture.signIn(Asked().with("device_id", "dev-1"), in: Browser(fixture))
      return try Shown(browser.get("/devices"), "remove")
    }
  }

  private func userCode(_ fixture: BackendFixture) throws -> String {
    var client = try #require(try fixture.store.client("app"))
    client.grants.insert(Grant.deviceCode.rawValue)
    try fixture.store.put(client)
    let asked = try fixture.post("/oauth/device_authorization", [("client_id", "app")])
    return try #require(asked.json()["user_code"]?.string)
  }

  @Test(
    "a form without its token, with another, or from elsewhere changes nothing, and the one that was shown does its work",
    arguments: FormKind.allCases)
  func everyForm(_ kind: FormKind) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture), stranger = Browser(fixture)
    let shown = try show(kind, fixture, in: browser), token = try #require(shown.token)
    _ = try fixture.code(user: "bob", in: stranger)
    // The same browser's token of another form.
    let page = try browser.get(kind == .signOut ? "/password" : "/oauth/end_session")
    let others = try #require(try Shown(page, "").token)
    let own = "https://auth.example.com"
    let forged: [(String, Browser, token: String?, headers: [String])] = [
      ("no token", browser, nil, []), ("an empty token", browser, "", []),
      ("a wrong token", browser, String(token.reversed()), []),
      ("a token cut short", browser, String(token.dropLast()), []),
      ("another form's token", browser, others, []), ("another browser", stranger, token, []),
      ("another origin", browser, token, ["Origin: https://evil.example"]),
      ("no origin", browser, token, ["Origin: null"]),
      ("a neighbour's origin", browser, token, ["Origin: \(own).evil.example"]),
      ("two origins", browser, token, ["Origin: \(own)", "Origin: https://evil.example"]),
      ("another site", browser, token, ["Sec-Fetch-Site: cross-site"]),
      ("another host of the site", browser, token, ["Sec-Fetch-Site: same-site"]),
    ]
    let changes = try RowChanges(fixture)
    for (what, browser, token, headers) in forged {
      let cookies = browser.cookies
      let changed = try changes.during {
        let answer = try browser.post(shown.form.address, shown.items(token: token), headers: headers)
        // Whether to sign out is asked again.
        #expect(answer.status == (kind == .signOut ? 200 : 403), "\(what)")
        #expect(answer.text.contains("Sign out?") == (kind == .signOut), "\(what)")
        #expect(answer.first("Location") == nil, "\(what)")
      }
      #expect(changed == [:], "\(what)")
      #expect(browser.cookies == cookies, "\(what)")
    }
    let changed = try changes.during {
      let answer = try browser.post(
        shown.form.address, shown.items(token: token), headers: ["Origin: \(own)", "Sec-Fetch-Site: same-origin"])
      #expect([200, 303].contains(answer.status), "\(answer.status) \(answer.text)")
    }
    #expect(changed != [:])
  }

  /// Cancelling changes nothing, so that no token is asked for: whoever has a browser post this could send it to the app's address with
  /// the same error without the server, and who was signed out meanwhile gets back to the app.
  @Test("a form that cancels needs no token, since it changes nothing", arguments: [true, false])
  func cancelling(isSignedIn: Bool) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    if isSignedIn { _ = try fixture.code(in: browser) }
    let changes = try RowChanges(fixture), cookies = browser.cookies
    let changed = try changes.during {
      let elsewhere = ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"]
      for asked in [Asked(), Asked("third", scope: "openid"), Asked("scheme")] {
        let answer = try browser.post(asked.target, [("action", "cancel")], headers: elsewhere)
        #expect(answer.destination?["error"] == "access_denied" && answer.destination?["code"] == nil)
        #expect(answer.destination?.text.hasPrefix(asked["redirect_uri"] + "?") == true)
      }
      for path in ["/device", "/devices", "/password"] {
        let answer = try browser.post(path, [("action", "cancel")], headers: elsewhere)
        #expect(answer.status == 200 && answer.text.contains("Nothing was changed."))
      }
    }
    #expect(changed == [:] && browser.cookies == cookies)
    #expect(
      try browser.get(Asked().with("prompt", "none").target).destination?["error"]
        == (isSignedIn ? nil : "login_required"))
  }
}
