import Basics
import Foundation
import HTTPTestSupport
import Testing

@testable import AuthBackend

@Suite("Methods that change nothing")
struct SafeMethodTests {
  /// What GET might do something at, with all that it would need.
  private func targets(_ tokens: Tokens, userCode: String) -> [String] {
    let hint = ("id_token_hint", tokens.idToken)
    let bye = ("post_logout_redirect_uri", "https://app.example/bye")
    return Endpoint.allCases.filter { $0.methods.contains("HEAD") }.flatMap { endpoint -> [String] in
      switch endpoint {
      case .authorize:
        [
          Asked().target, Asked().with("prompt", "none").target, Asked().with("prompt", "login").target,
          Asked("third").with("prompt", "none").target,
        ]
      case .endSession:
        [endpoint.rawValue]
          + [[hint], [hint, bye], [hint, bye, ("state", "s")]].map { endpoint.rawValue + "?" + formText($0) }
      case .device: [endpoint.rawValue, endpoint.rawValue + "?user_code=" + userCode]
      default: [endpoint.rawValue]
      }
    }
  }

  @Test("HEAD changes nothing at any endpoint, for whoever is signed in", arguments: [true, false])
  func head(isSignedIn: Bool) throws {
    let fixture = try BackendFixture(), browser = Browser(fixture)
    let tokens = try fixture.signIn(in: browser)
    let code = try fixture.post("/oauth/device_authorization", [("client_id", "agent")]).json()["user_code"]?.string
    // Every page was seen, so that the browser has every cookie that it could have.
    for path in ["/password", "/devices", "/device", "/oauth/end_session"] { _ = try browser.get(path) }
    let asking = Browser(fixture)
    if isSignedIn { asking.cookies = browser.cookies }
    let resource = BackendFixture.basic("orders", try fixture.addResource())
    let targets = targets(tokens, userCode: code ?? "")
    #expect(targets.count >= 20)
    for target in targets {
      let (files, events) = (try state(fixture), fixture.events.all.count)
      let bearer = "Authorization: Bearer " + tokens.access
      let answer = try asking.send("HEAD", target, headers: [target == "/oauth/denials" ? resource : bearer])
      #expect([200, 404].contains(answer.status) && answer.body.isEmpty, "\(target): \(answer.status)")
      // That it asks whether the database can be written is what it is for.
      if target != "/readyz" { #expect(try state(fixture) == files, "\(target) wrote something") }
      #expect(fixture.events.all.count == events, "\(target)")
      #expect(!answer.all("Set-Cookie").contains { $0.contains("Max-Age=0") }, "\(target)")
      #expect(answer.first("Location") == nil, "\(target)")
    }
    #expect(try browser.get(Asked().with("prompt", "none").target).destination?["code"] != nil)
    #expect(try fixture.refresh(tokens.refresh).status == 200)
    #expect(try fixture.userInfo(tokens.access).status == 200)
  }

  /// The database as it stands in its files: whatever is written is appended to the log.
  private func state(_ fixture: BackendFixture) throws -> [Data] {
    try ["auth.db", "auth.db-wal"].map { try Data(contentsOf: URL(fileURLWithPath: fixture.folder($0))) }
  }
}
