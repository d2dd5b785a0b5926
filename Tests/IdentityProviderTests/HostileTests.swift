import GatewayLab
import HTTPTestSupport
import TestSupport
import Testing

@Suite("Whatever is sent to the provider") struct HostileTests {
  private static let pieces = [
    "client_id=mfs", "grant_type=refresh_token", "grant_type=authorization_code", "code=", "refresh_token=x", "&", "&&",
    "=", "%", "%4", "%00", "%FF", "+", "token=", "token=%C3%28", "username=alice", "password=", "action=cancel",
    "redirect_uri=http%3A%2F%2F127.0.0.1%3A99999%2Fcallback", "redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback",
    "response_type=code", "response_type=id_token+token", "scope=openid", "nonce=%0D%0ASet-Cookie%3A+x", "state=%0D%0A",
    "state=%22%3E%3Cscript%3E", "prompt=none", "max_age=99999999999999999999", "max_age=9223372036854775807",
    "code_challenge=", "code_challenge_method=S256", "user_code=%00", "id_token_hint=a.b.c", "login_hint=%3Cb%3E",
    "post_logout_redirect_uri=javascript%3Aalert(1)", "\u{0}", "é",
  ]

  @Test func itAnswersAndGoesOn() throws {
    let lab = try ProviderFixture()
    var numbers = SeededGenerator(20_260_904)
    let form = "Content-Type: application/x-www-form-urlencoded"
    for _ in 0..<600 {
      let endpoint = try #require(ProviderEndpoint.allCases.randomElement(using: &numbers))
      let parts = (0..<Int.random(in: 0...9, using: &numbers)).map { _ in
        HostileTests.pieces.randomElement(using: &numbers) ?? ""
      }
      let text = parts.joined(separator: Bool.random(using: &numbers) ? "&" : "")
      let isForm = Bool.random(using: &numbers)
      let query = text.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.map(String.init).joined()
      let response =
        isForm
        ? try exchange(lab.port, "POST", endpoint.path, headers: [form], body: text)
        : try exchange(lab.port, "GET", endpoint.path + "?" + query)
      let status = try #require(response, "\(endpoint) \(text)").status
      #expect([200, 302, 303, 400, 401, 403, 405].contains(status), "\(endpoint) \(text): \(status)")
      #expect(response?.text.contains("<script>") == false, "\(text)")
      #expect(response?.headers.contains { $0.name == "Set-Cookie" && $0.value == "x" } == false)
      if let location = response?.location, !location.isEmpty {
        let isOwn = ["/authorize?", "http://127.0.0.1/callback", "http://127.0.0.1:"].contains {
          location.hasPrefix($0)
        }
        #expect(isOwn, "\(location)")
      }
    }
    #expect(try lab.refusal(try lab.tokens().text("id_token")) == nil)
  }

  @Test func aBodyThatIsTooLargeIsRefused() throws {
    let lab = try ProviderFixture()
    let body = "client_id=mfs&token=" + String(repeating: "x", count: 2_000_000)
    let form = "Content-Type: application/x-www-form-urlencoded"
    #expect(try exchange(lab.port, "POST", "/revoke", headers: [form], body: body)?.status == 413)
    #expect(try lab.get("/jwks").status == 200)
  }
}
