import Testing

@testable import Settings

@Suite struct SecretTests {
  // Put together here so that no scanner takes this file for a leak.
  private static let header = "eyJhbGciOiJIUzI1NiJ9"
  private static let token = header + ".eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ"
  static let secretValues: [(String, String)] = [
    (token, "a JSON Web Token"), ("Bearer " + token, "a JSON Web Token"), ("x=" + token + ";", "a JSON Web Token"),
    (header + ".QUJDREVG.SVZTT01F.Q0lQSEVSVEVYVA.VEFH", "a JSON Web Token"),
    ("-----BEGIN " + "PRIVATE KEY-----\nMIIE", "a private key"),
    ("-----BEGIN RSA " + "PRIVATE KEY-----\\nMIIE", "a private key"),
    ("AKIA" + "IOSFODNN7EXAMPLE", "an AWS access key"), ("ASIA" + "IOSFODNN7EXAMPLE", "an AWS access key"),
    ("ghp_" + String(repeating: "a", count: 36), "a GitHub token"),
    ("github_pat_" + String(repeating: "a", count: 40), "a GitHub token"),
    ("glpat-" + String(repeating: "a", count: 20), "a GitLab token"),
    ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "a Stripe secret key"),
    ("sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "a Stripe secret key"),
    ("AIza" + String(repeating: "A", count: 35), "a Google API key"),
    ("xoxb-" + "123456789012-abcdef", "a Slack token"),
    ("SG." + String(repeating: "a", count: 22) + "." + String(repeating: "b", count: 43), "a SendGrid key"),
    ("sk-" + String(repeating: "a", count: 40), "an API key"),
    ("npm_" + String(repeating: "a", count: 36), "an npm token"),
    ("https://user:hunter2@example.com/db", "a URL with a password"), ("wss://:x@example.com", "a URL with a password"),
    // Not well-formed, and a password all the same.
    ("wss://user:hunter2@x@example.com", "a URL with a password"),
    ("wss://user:hunter2/x@example.com", "a URL with a password"),
    ("wss://user:1hunter2#x@example.com", "a URL with a password"),
    ("wss://user:hunter2@example.com:port", "a URL with a password"),
    ("wss//user:hunter2@example.com", "a URL with a password"),
    ("//user:hunter2@example.com", "a URL with a password"),
    ("jdbc:postgresql://user:hunter2@example.com/db", "a URL with a password"),
    ("wss://example.com|wss://user:hunter2@example.com", "a URL with a password"),
    ("wss://example.com:4984 (wss://user:hunter2@example.com)", "a URL with a password"),
  ]

  @Test(arguments: secretValues) func knowsASecretByItsForm(value: String, kind: String) {
    #expect(SecretSigns.kind(of: value) == kind)
  }

  @Test(arguments: [
    "", "true", "basic", "mfs-mobile", "openid email profile", "wss://sync.example.com:4984",
    "https://user@example.com/", "https://user:@example.com/", "https://example.com:4873/@scope/package",
    "https://example.com/a:b@1.0", "https://[::1]:8081/@x", "see https://example.com: mail me@example.com",
    "https://example.com?q=a:b@c", "a:b@c", "https://example.com:443",
    "https://example.com/?token=eyJ", "eyJhbGciOiJIUzI1NiJ9", "a.b.c", "eyJ.a.b", "3.14.15", "com.example.app.debug",
    // Random and no secret: an id, a digest, a client id.
    "5f2b6c1e-9f0e-4d3a-8a55-0a1b2c3d4e5f", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "123456789012-abcdefghijklmnopqrstuvwxyz012345.apps.googleusercontent.com",
    "pk_live_4eC39HqLyjWDarjtT1zdp7dc", "pk.eyJ1IjoibWZzIn0", "AKIA", "ghp_short", "sk-", "skate-park", "SG.short",
    "-----BEGIN PUBLIC KEY-----", "AIzaShort",
  ])
  func takesNothingElseForOne(value: String) { #expect(SecretSigns.kind(of: value) == nil) }

  @Test(arguments: [
    "EXPO_PUBLIC_DB_PASSWORD", "EXPO_PUBLIC_PASSWORD", "EXPO_PUBLIC_DBPASSWORD", "EXPO_PUBLIC_CLIENT_SECRET",
    "EXPO_PUBLIC_AUTH_TOKEN", "EXPO_PUBLIC_ACCESSTOKEN", "EXPO_PUBLIC_PRIVATE_KEY", "EXPO_PUBLIC_STRIPE_API_KEY",
    "EXPO_PUBLIC_APIKEY", "EXPO_PUBLIC_AWS_SECRET_ACCESS_KEY", "EXPO_PUBLIC_SIGNING_KEY_2",
    "EXPO_PUBLIC_ENCRYPTION_KEY",
    "EXPO_PUBLIC_SERVICE_ROLE_KEY", "EXPO_PUBLIC_ADMIN_CREDENTIALS", "EXPO_PUBLIC_PASSPHRASE", "expo_public_api_key",
    "EXPO_PUBLIC_TOKEN_PROD",
  ])
  func knowsASecretByItsName(name: String) { #expect(SecretSigns.isSecret(name: name)) }

  @Test(arguments: [
    "EXPO_PUBLIC_AUTH_STRATEGY", "EXPO_PUBLIC_SESSION_REFRESH_SKEW_SEC", "EXPO_PUBLIC_OIDC_CLIENT_ID",
    "EXPO_PUBLIC_OIDC_ISSUER", "EXPO_PUBLIC_OIDC_SCOPES", "EXPO_PUBLIC_AUTH_BEARER_ON_REPL", "EXPO_PUBLIC_SG_URL",
    "EXPO_PUBLIC_SG_DB", "EXPO_PUBLIC_DB_ENCRYPTION", "EXPO_PUBLIC_REPLICATION_COLLECTIONS",
    "EXPO_PUBLIC_TOKEN_ENDPOINT",
    "EXPO_PUBLIC_PASSWORD_MIN_LENGTH", "EXPO_PUBLIC_TOKEN_TTL", "EXPO_PUBLIC_SECRET_NAME",
    "EXPO_PUBLIC_STRIPE_PUBLISHABLE_KEY",
    "EXPO_PUBLIC_PUBLIC_KEY", "EXPO_PUBLIC_KEYCHAIN_SERVICE", "EXPO_PUBLIC_TOKENIZER", "EXPO_PUBLIC_SECRETARY_EMAIL",
    "EXPO_PUBLIC_MAP_KEYBOARD", "", "_", "PATH",
  ])
  func noFalseAlarmForOtherNames(name: String) { #expect(!SecretSigns.isSecret(name: name)) }

  @Test(arguments: secretValues) func aSecretUnderThePublicPrefixIsReportedWithoutItsValue(value: String, kind: String)
    throws
  {
    let problems = Catalog.builtin().problems(
      in: ["EXPO_PUBLIC_SG_DB": value, "EXPO_PUBLIC_X": value, "SERVER_X": value], mode: "development")
    let found = problems.filter { $0.rule == .secretInPublic }
    #expect(found.map(\.key) == ["EXPO_PUBLIC_SG_DB", "EXPO_PUBLIC_X"])
    #expect(found.allSatisfy { $0.message.contains(kind) && $0.severity == .error })
    for problem in problems {
      #expect(!problem.message.contains(value) && problem.help?.contains(value) != true)
      #expect(!problem.message.contains("hunter2"))
    }
  }

  @Test func namesAndMarksAreReportedEvenWithoutAValue() throws {
    let catalog = try catalog("settings: [{name: EXPO_PUBLIC_A, group: g, type: string, secret: true, summary: s}]\n")
    let values = ["EXPO_PUBLIC_A": "x", "EXPO_PUBLIC_DB_PASSWORD": "", "DB_PASSWORD": "x"]
    let found = catalog.problems(in: values, mode: "test").filter { $0.rule == .secretInPublic }
    #expect(found.map(\.key) == ["EXPO_PUBLIC_A", "EXPO_PUBLIC_DB_PASSWORD"])
    #expect(found[0].message.contains("is marked secret") && found[1].message.contains("has the name of a secret"))
  }

  @Test func masksWhatLooksSecretAnywhere() throws {
    let catalog = try catalog("settings: [{name: A, group: g, type: string, secret: true, summary: s}]\n")
    #expect(catalog.isSecret(name: "A", value: "x"))
    #expect(catalog.isSecret(name: "DB_PASSWORD", value: "x"))
    #expect(catalog.isSecret(name: "B", value: SecretTests.token))
    #expect(!catalog.isSecret(name: "B", value: "x"))
  }
}
