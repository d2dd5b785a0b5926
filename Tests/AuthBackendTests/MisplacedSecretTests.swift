import BackendStore
import Basics
import HTTPTestSupport
import Testing

@testable import AuthBackend

/// A secret that is sent where a name belongs is in no log, no audit log, no alert and no table.
@Suite("secrets in the wrong place")
struct MisplacedSecretTests {
  /// What the operator's side was told, and the audit log has.
  private func written(_ fixture: BackendFixture) throws -> String {
    "\(fixture.events.all)\(try fixture.store.auditRecords(after: 0, limit: 10_000))"
  }

  @Test(
    "a resource server whose name and secret are swapped", arguments: [nil, "a-secret-of-the-operators-own-choice"])
  func swapped(_ chosen: String?) throws {
    let fixture = try BackendFixture(), made = try fixture.addResource()
    let secret = chosen ?? made
    for items in [[("client_id", secret), ("client_secret", "orders")], []] {
      let headers = items.isEmpty ? [BackendFixture.basic(secret, "orders")] : []
      let answer = try fixture.post("/oauth/introspect", items + [("token", "x")], headers: headers)
      #expect(answer.status == 401)
    }
    #expect(fixture.events.named("resource.refused").count == 2)
    #expect(try !written(fixture).contains(secret.dropFirst(4)))
    // One that is there is named.
    _ = try fixture.introspect("x", String(made.reversed()))
    #expect(fixture.events.named("resource.refused").last?.fields["resource"] == "orders")
  }

  @Test("a token as the client, in a redirect URI, or as a device")
  func tokens() throws {
    let fixture = try BackendFixture(), one = try fixture.signIn(), code = try fixture.code()
    for secret in [one.refresh, one.access, one.idToken, code] {
      #expect(try fixture.send("GET", Asked().with("client_id", secret).target).status == 400)
      #expect(try fixture.send("GET", Asked(redirect: "https://app.example/cb/\(secret)").target).status == 400)
      #expect(try fixture.refresh(one.refresh, client: secret).status == 401)
      let device = String(secret.prefix(128))
      #expect(try fixture.refresh(one.refresh, device: device).error == "invalid_request")
      #expect(try fixture.refresh("x", device: device).error == "invalid_request")
      let answer = try fixture.send("GET", Asked().with("device_id", device).target)
      #expect(answer.destination?["error"] == "invalid_request")
      #expect(try !written(fixture).contains(secret.dropFirst(4).prefix(20)))
    }
    let refused = fixture.events.named("authorize.refused")
    #expect(refused.count == 8 && refused.count { $0.fields["client"] == nil } == 4)
    #expect(refused.contains { $0.fields["redirect"] == "https://app.example/cb/mfr_\u{2026}" })
    #expect(try fixture.refresh(one.refresh).status == 200, "nothing was spent")
  }

  @Test("a redirect URI is shown without what may be a secret, however that is written")
  func redirects() throws {
    let random = String(repeating: "aB3-_", count: 8)
    for (asked, shown) in [
      ("https://x/mfr%5F\(random)", "https://x/mfr_\u{2026}"),
      ("https://x/m%66s%5f\(random)", "https://x/mfs_\u{2026}"),
      ("https://x/mfs%255F\(random)", "https://x/mfs_\u{2026}"), ("https://x/%65yJ\(random)", "https://x/eyJ\u{2026}"),
      ("https://x/%3Fpassword=pw", "https://x/"), ("https://x/%253Fpassword=pw", "https://x/"),
      ("https://x/%2523pw", "https://x/"), ("https://x/?\u{301}pw", "https://x/"),
      ("https://x/%3F%CC%81pw", "https://x/"),
      ("https://x/\(String(repeating: "%25", count: 9))%252525252525253Fpw", "https://x/"),
      ("https:///alice:pw@x/", "https://x/"), ("https:///alice@x/", "https://x/"),
      ("https://alice:pw/@x/", "https://x/"),
      ("https://alice:p/w@x/", "https://x/"), ("https://alice:pw@x@y/z", "https://y/z"),
      ("https://pw@x/a@b", "https://b"),
      ("https://alice:pw%40x/", "https://x/"), ("https://alice:pw@\u{301}x/", "https://\u{301}x/"),
      ("//alice:pw@x/", "x/"),
      ("com.app:alice:pw@x", "x"), ("https:\\\\alice:pw@x", "x"), ("pw@x://y@z", "z"), ("https://x/@a", "https://x/@a"),
      ("https://x/cb", "https://x/cb"), ("https://x/a%20b%zz%", "https://x/a b%zz%"), ("com.app:/cb", "com.app:/cb"),
      ("", ""), ("%", "%"),
    ] {
      #expect(Array(LogText.shown(RedirectText.shown(asked)).utf8) == Array(shown.utf8), "\(asked)")
    }
  }

  @Test("what is left out of a text, and what is not")
  func texts() {
    let random = String(repeating: "aB3-_", count: 8)
    for (text, shown) in [
      ("mfr_\(random)", "mfr_\u{2026}"), ("x=mfs_\(random); y", "x=mfs_\u{2026}; y"),
      ("mfc_\(random) and mfd_\(random)", "mfc_\u{2026} and mfd_\u{2026}"), ("a.mfr_\(random)", "a.mfr_\u{2026}"),
      ("app:/cb%2Fmfr_\(random)", "app:/cb%2Fmfr_\u{2026}"), ("%mfb_\(random)", "%mfb_\u{2026}"),
      // In the midst of a word it is chance: ids are random.
      ("mfmfb_\(random)", "mfmfb_\(random)"), ("sess_7eyJ\(random)", "sess_7eyJ\(random)"),
      ("user_-mfr_\(random)", "user_-mfr_\(random)"), ("Q%2\(random)eyJ\(random)", "Q%2\(random)eyJ\(random)"),
      ("eyJshort.7eyJ\(random)", "eyJ\u{2026}"),
      ("Bearer eyJ\(random).\(random)", "Bearer eyJ\u{2026}"), ("mfs_orders", "mfs_orders"), ("mfr_", "mfr_"),
      ("sess_\(random)", "sess_\(random)"), ("", ""), ("mf", "mf"),
      ("caf\u{E9} mfr_\(random)", "caf\u{E9} mfr_\u{2026}"),
      ("a\nb", "a\\u{a}b"),
    ] {
      #expect(LogText.shown(text) == shown)
      #expect(LogText.hasToken(text) == shown.contains("\u{2026}"))
    }
    // Apps make them up at random, and keep them.
    #expect(DeviceID.isValid("7eyJ\(random)"))
    #expect(!DeviceID.isValid("eyJ\(random)") && !DeviceID.isValid("a:mfr_\(random)"))
  }
}
