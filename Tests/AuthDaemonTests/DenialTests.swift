import BackendStore
import BackendStoreConformance
import Basics
import Foundation
import TestSupport
import Testing

/// What a command ends is denied to whoever asks the list of denials, besides what the server itself knows of accounts and sign-ins.
@Suite struct DenialTests {
  @Test func whatACommandEndsIsDenied() throws {
    let daemon = try Daemon()
    let secret = try daemon.admin("resource", "add", "orders", "--audience", "api").text
      .trimmingCharacters(in: .newlines)
    try daemon.serve()
    let store = try SQLiteStore(path: daemon.sandbox("data/auth.db"), migrate: false)
    let phone = try daemon.signIn(device: "dev_1"), plain = try daemon.signIn()
    func userInfo(_ one: SignIn) throws -> String {
      try daemon.get(
        daemon.origin + "/oauth/userinfo", "--header", "Authorization: Bearer \(one.tokens.access_token)", "--output",
        "/dev/null", "--write-out", "%{http_code}"
      ).text
    }
    /// What a resource server is told of an access token; anything but an answer to that is no answer.
    func isActive(_ one: SignIn) throws -> Bool {
      try daemon.sandbox.write(
        "introspect", "client_id=orders&client_secret=\(secret)&token=\(one.tokens.access_token)", mode: 0o600)
      let answer = try daemon.get(
        daemon.origin + "/oauth/introspect", "--data", "@introspect", "--write-out", "\n%{http_code}"
      ).text.split(separator: "\n").map(String.init)
      try #require(answer.last == "200" && answer.count == 2, "\(answer)")
      let body = try JSONSerialization.jsonObject(with: Data(answer[0].utf8)) as? [String: Any]
      return try #require(body?["active"] as? Bool)
    }
    #expect(try store.denied(now: .now()) == [:])
    for one in [phone, plain] { #expect(try userInfo(one) == "200" && isActive(one)) }

    /// Runs a command after which these are denied, until their last access token is over for a clock that is slow.
    func denies(_ ended: [SignIn], _ command: () throws -> Void) throws {
      let before = Timestamp.now()
      try command()
      let denied = try store.denied(now: .now())
      #expect(Set(denied.keys) == Set(ended.map(\.sid)))
      let until = try #require(denied[ended.last?.sid ?? ""])
      #expect(until >= before.advanced(by: 660) && until <= Timestamp.now().advanced(by: 660))
      for one in ended {
        #expect(try userInfo(one) == "401")
        #expect(try !isActive(one))
      }
    }
    try denies([phone]) { try daemon.admin("device", "remove", Daemon.user, "dev_1") }
    #expect(try userInfo(plain) == "200" && isActive(plain))
    try denies([phone, plain]) { try daemon.admin("user", "disable", Daemon.user) }
    // It is the list that refuses, and not the account: that is open again.
    try daemon.admin("user", "enable", Daemon.user)
    let later = try daemon.signIn()
    #expect(try userInfo(later) == "200" && isActive(later))
    for one in [phone, plain] {
      #expect(try userInfo(one) == "401")
      #expect(try !isActive(one))
    }
  }
}
