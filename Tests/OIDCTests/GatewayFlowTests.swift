import Foundation
import GatewayLab
import TestSupport
import Testing

/// The gateway's own sign-in (`_oidc`, `_oidc_callback`, `_oidc_refresh`), from the browser to the session and out again.
@Suite struct GatewayFlowTests {
  @Test func theGatewaySignsInRefreshesAndSignsOut() throws {
    let device = try Device.atGateway { $0.provider.options.rotatesRefreshTokens = false }
    let login = try device.login()
    try #require(login.status == 0, "\(login.errorText) \(device.notes)")
    #expect(login.text.contains(#""state":"signedIn","strategy":"oidc_code","identifier":"alice@example.com""#))
    #expect(
      try device.names() == CodeFlowTests.everything.union(["auth.plugin.oidc_code.exchange"]),
      "the gateway gives all of it")
    #expect(device.notes.last?.contains("/mfs/_oidc_callback Back to the terminal") == true, "\(device.notes)")
    #expect(device.provider.count(of: .token) == 0, "the code went to the gateway, and to nobody else")
    let before = (try device.value("auth.sessionId"), try device.value("auth.refreshToken"))
    for _ in 0..<2 {
      let refresh = try device.mfsctl("session", "refresh")
      #expect(refresh.status == 0, "\(refresh.errorText)")
    }
    #expect(try device.value("auth.sessionId") != before.0)
    #expect(try device.value("auth.refreshToken") == before.1)
    let logout = try device.mfsctl("--json", "--verbose", "session", "logout")
    #expect(logout.status == 0, "\(logout.errorText)")
    #expect(logout.errorText.contains("only the gateway"), "a client with a secret revokes, and nobody else")
    #expect(try device.names() == ["mfs.deviceId"])
    #expect(device.lab.gateway.sessionCount == 2, "those from before the last refresh")
  }

  /// The state and the nonce are in the request, and so is what asks for a refresh token.
  @Test func theRequestIsTheGatewaysWithANonce() throws {
    let device = try Device.atGateway { $0.provider.options.absent = [.deviceAuthorization] }
    let login = try Background(
      [Programs.buildFolder + "/mfsctl", "session", "login", "--no-browser"], in: device.sandbox,
      environment: device.environment)
    defer { login.end() }
    let shown = login.errorText(until: { $0.contains("nonce=") })
    for part in ["access_type=offline", "prompt=consent", "response_type=code", "state=", "nonce="] {
      #expect(shown.contains(part), "\(shown)")
    }
    #expect(!shown.contains("code_challenge"))
  }

  @Test(arguments: [
    (ProviderFault.Kind.wrongNonce, 63, "nonce"), (.noNonce, 63, "nonce"), (.wrongIssuer, 63, "not from"),
    (.accessDenied, 61, "cancelled"),
  ])
  func whatTheGatewayDoesNotLookAtIsLookedAtHere(kind: ProviderFault.Kind, status: Int32, said: String) throws {
    let device = try Device.atGateway()
    device.fail(kind)
    let login = try device.login()
    #expect(login.status == status && login.errorText.contains(said), "\(login.errorText)")
    #expect(try device.names().isEmpty)
  }

  @Test func aGatewayThatLeadsElsewhereIsNotFollowed() throws {
    let cases: [((inout Scenario) -> Void, String)] = [
      ({ $0.options.openID.callbackURL = nil }, "callback_url"),
      ({ $0.options.openID.callbackURL = "https://app.example.com/callback" }, "callback_url"),
      ({ $0.options.openID.hasCallbackState = false }, "disable_callback_state"),
      ({ $0.options.openID.isOn = false }, "OpenID Connect not configured"),
    ]
    for (change, said) in cases {
      let device = try Device.atGateway(change)
      let login = try device.login()
      #expect(login.status == 63 && login.errorText.contains(said), "\(login.errorText)")
      #expect(device.notes.isEmpty, "no page was opened")
    }
    let device = try Device.atGateway()
    try device.settings(more: "EXPO_PUBLIC_OIDC_CODE_EXCHANGE=gateway\nEXPO_PUBLIC_OIDC_CLIENT_ID=other")
    let other = try device.login()
    #expect(other.status == 63 && other.errorText.contains("EXPO_PUBLIC_OIDC_CLIENT_ID"), "\(other.errorText)")
    try device.settings(more: "EXPO_PUBLIC_OIDC_CODE_EXCHANGE=gateway\nEXPO_PUBLIC_OIDC_GATEWAY_PROVIDER=other")
    let named = try device.login()
    #expect(named.status == 63 && named.errorText.contains("not configured"), "\(named.errorText)")
    try device.settings(more: "EXPO_PUBLIC_OIDC_CODE_EXCHANGE=gateway\nEXPO_PUBLIC_OIDC_GATEWAY_PROVIDER=lab")
    #expect(try device.login().status == 0)
  }

  /// The parameters of a request that is right, but for what is in the redirect.
  private func request(_ device: Device, _ redirect: String, _ more: String = "") -> String {
    "\(device.provider.issuer)/authorize?client_id=\(device.provider.clientID)&response_type=code&scope=openid&state=s1"
      + "&redirect_uri=\(redirect)\(more)"
  }

  private func lead(_ device: Device, to location: String) {
    var scenario = device.lab.gateway.scenario
    var fault = Fault(.redirect)
    fault.operations = [.other]
    fault.location = location
    scenario.faults = [fault]
    device.lab.gateway.scenario = scenario
  }

  /// The host would refuse these as well, and blame the plugin.
  @Test func anAddressWhereNobodyListensIsTheGatewaysMistake() throws {
    let device = try Device.atGateway()
    let here = "http://127.0.0.1:8491/cb"
    let long = String(repeating: "a", count: 9_000)
    let cases: [(String, String)] = [
      ("http://127.0.0.1:0/cb", ""), ("http://127.0.0.1:99999/cb", ""), ("http://127.0.0.1:8491@evil.invalid/cb", ""),
      ("http://127.0.0.1:/cb", ""), ("http://127.0.0.1:8491evil/cb", ""), ("http://127.0.0.1:8491%23/cb", ""),
      ("http://127.0.0.1.evil.invalid:8491/cb", ""), ("http://127.0.0.1:8491/c%01b%0A", ""),
      ("http://127.0.0.1:8491/%C3%A9", ""), ("\(here)/\(long)", ""), (here, "&x=\(long)"), (here, "&=x"),
      (here, "&\(long.prefix(300))=x"),
    ]
    for (redirect, more) in cases {
      lead(device, to: request(device, redirect, more))
      let login = try device.login()
      #expect(login.status == 63 && login.errorText.contains("callback_url must be"), "\(login.errorText)")
    }
    #expect(device.notes.isEmpty, "no page was opened")
  }

  /// A request object would replace what was checked (RFC 9101), and of two parameters the provider may take either.
  @Test func aRequestThatIsNotWhatItSeemsIsNotFollowed() throws {
    let device = try Device.atGateway()
    let cases = [
      ("&request_uri=https%3A%2F%2Fevil.invalid%2Fr", "'request_uri'"), ("&request=e30.e30.", "'request'"),
      ("&request=", "'request'"), ("&response_mode=form_post", "'response_mode'"),
      ("&response_mode=fragment", "'response_mode'"), ("&state=s2", "'state' to the identity provider twice"),
      ("&redirect%5Furi=https%3A%2F%2Fevil.invalid%2F", "'redirect_uri' to the identity provider twice"),
      ("&scope=", "'scope' to the identity provider twice"), ("&x=1&x=1", "'x' to the identity provider twice"),
    ]
    for (more, said) in cases {
      lead(device, to: request(device, "http://127.0.0.1:8491/cb", more))
      let login = try device.login()
      #expect(login.status == 63 && login.errorText.contains(said), "\(login.errorText)")
    }
    #expect(device.notes.isEmpty, "no page was opened")
  }

  @Test func aGatewayThatLeadsNowhereIsSaidToDoSo() throws {
    let device = try Device.atGateway()
    for (location, said) in [("?state=s1", "cannot be read"), ("/#page", "cannot be read"), ("/login", "to /login,")] {
      lead(device, to: location)
      let login = try device.login()
      #expect(login.errorText.contains(said) && !login.errorText.contains("leads to ,"), "\(login.errorText)")
      #expect(login.status == 62 || login.status == 63, "\(login.errorText)")
    }
    try device.sandbox.write(
      "gateway.py",
      """
      import http.server

      class Gateway(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"

          def do_GET(self):
              self.send_response(302)
              self.send_header("Location", "")
              self.send_header("Content-Length", "0")
              self.end_headers()

          def log_message(self, *arguments):
              pass

      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
      print(server.server_port, flush=True)
      server.serve_forever()

      """)
    let empty = try PythonServer(script: device.sandbox("gateway.py"))
    let settings = try String(contentsOfFile: device.sandbox(".env"), encoding: .utf8)
    try device.sandbox.write(
      ".env",
      settings.replacing(
        "EXPO_PUBLIC_SG_URL=\(device.lab.origin)\n", with: "EXPO_PUBLIC_SG_URL=http://127.0.0.1:\(empty.port)\n"))
    let login = try device.login()
    #expect(login.status == 62 && login.errorText.contains("Location is missing or empty"), "\(login.errorText)")
  }

  /// It says 401 for a database that it does not have, and no ID token was sent yet.
  @Test func whatNeedsNoCredentialIsNotBlamedOnOne() throws {
    let device = try Device.atGateway()
    var scenario = device.lab.gateway.scenario
    scenario.faults = [Fault(.unauthorized)]
    device.lab.gateway.scenario = scenario
    let login = try device.login()
    #expect(login.status == 63 && login.errorText.contains("EXPO_PUBLIC_SG_DB"), "\(login.errorText)")
    #expect(!login.errorText.contains("ID token"), "\(login.errorText)")
  }

  /// The provider's answer must not be taken twice, and nobody's else: the gateway looks at its cookie.
  @Test func theGatewayCanLeaveTheSessionToTheToken() throws {
    let device = try Device.atGateway {
      $0.options.openID.makesSession = false
      $0.options.openID.includesAccessToken = true
    }
    let login = try device.login()
    #expect(login.status == 0, "\(login.errorText)")
    #expect(device.lab.gateway.sessionCount == 1)
  }

  /// A provider that replaces refresh tokens leaves the gateway without one after the first refresh, and the gateway says 500
  /// then, for ever. The session goes on while it is good; after it, nothing is removed, and a person is told what to do.
  @Test func aRefreshTokenThatIsDeadAtTheGatewayEndsNothing() throws {
    let device = try Device.atGateway()
    try #require(try device.login().status == 0)
    #expect(try device.mfsctl("session", "refresh").status == 0)
    let session = try device.value("auth.sessionId")
    let second = try device.mfsctl("--verbose", "session", "refresh")
    #expect(second.status == 0 && second.errorText.contains("HTTP 500"), "\(second.errorText)")
    #expect(try device.value("auth.sessionId") == session, "the one from before is still good")
    device.lab.gateway.expireSessions()
    #expect(try device.mfsctl("session", "refresh").status == 0, "the ID token is still good for a new one")
    device.lab.gateway.expireSessions()
    var scenario = device.lab.gateway.scenario
    scenario.options.openID.isUnreachable = true
    device.lab.gateway.scenario = scenario
    let names = try device.names()
    let third = try device.mfsctl("session", "refresh")
    #expect(third.status == 62 && third.errorText.contains("sign in again"), "\(third.errorText)")
    #expect(try device.names() == names)
  }

  @Test func whoSignedInTheOtherWaySignsInAgain() throws {
    let device = try Device.atGateway()
    try #require(try device.login().status == 0)
    try device.settings(more: "")
    let refresh = try device.mfsctl("session", "refresh")
    #expect(
      refresh.status == 61 && refresh.errorText.contains("EXPO_PUBLIC_OIDC_CODE_EXCHANGE"), "\(refresh.errorText)")
    #expect(device.provider.count(of: .token) == 0)
    #expect(try device.mfsctl("session", "logout").status == 0)
  }

  /// The code and the refresh token stand in URLs here, as the gateway has it: nothing may say them.
  @Test func whatStandsInTheGatewaysURLsIsNeverSaid() throws {
    let device = try Device.atGateway()
    try #require(try device.login().status == 0)
    let secrets = try ["auth.idToken", "auth.refreshToken", "auth.sessionId"].map { try device.value($0) }
    try device.mfsctl("--verbose", "session", "refresh")
    var scenario = device.lab.gateway.scenario
    var fault = Fault(.redirect)
    fault.location = "http://elsewhere.invalid/mfs/_oidc_refresh?refresh_token=\(secrets[1])"
    scenario.faults = [fault]
    device.lab.gateway.scenario = scenario
    let redirected = try device.mfsctl("--verbose", "session", "refresh")
    #expect(redirected.status == 63 && redirected.errorText.contains("redirects to http://elsewhere.invalid/mfs/_oidc"))
    try device.mfsctl("--verbose", "session", "logout")
    #expect(device.said.count > 500)
    let log = try String(contentsOfFile: device.sandbox("home/state/session.log"), encoding: .utf8)
    for secret in secrets { #expect(!device.said.contains(secret) && !log.contains(secret)) }
  }
}
