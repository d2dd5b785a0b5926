import AuthBackend
import BackendAdmin
import Basics
import Foundation
import TestSupport
import Testing

/// What counts when nothing is set but what must be, as numbers: neither the catalog nor the library changes one unseen.
@Suite("Defaults") struct DefaultsTests {
  private static let day: Int64 = 86_400
  private typealias Value = @Sendable (BackendConfiguration) -> Int64

  private static let numbers: [(name: String, number: Int64, found: Value)] = [
    ("LISTEN_PORT", 8_480, { Int64($0.listen.port) }),
    ("KEY_ROTATION_SECONDS", 90 * day, { $0.keys.rotationSeconds }),
    ("JWKS_MAX_AGE_SECONDS", 3_600, { $0.keys.maxAgeSeconds }),
    ("PEPPER_ROTATION_SECONDS", 90 * day, { $0.peppers.rotationSeconds }),
    ("PEPPER_KEEP_SECONDS", 366 * day, { $0.peppers.keepSeconds }),
    ("ACCESS_TOKEN_SECONDS", 600, { $0.backend.accessTokenSeconds }),
    ("ID_TOKEN_SECONDS", 600, { $0.backend.idTokenSeconds }),
    ("CODE_SECONDS", 60, { $0.backend.codeSeconds }),
    ("FAMILY_SECONDS", 90 * day, { $0.backend.familySeconds }),
    ("IDLE_SECONDS", 30 * day, { $0.backend.idleSeconds }),
    ("BROWSER_SESSION_SECONDS", 8 * 3_600, { $0.backend.browserSessionSeconds }),
    ("DEVICE_CODE_SECONDS", 600, { $0.backend.deviceCodeSeconds }),
    ("DEVICE_POLL_SECONDS", 5, { $0.backend.devicePollSeconds }),
    ("ATTESTATION_CHALLENGE_SECONDS", 300, { $0.backend.attestationChallengeSeconds }),
    ("LEEWAY_SECONDS", 60, { $0.backend.leewaySeconds }),
    ("KEEP_SECONDS", 30 * day, { $0.running.keepSeconds }),
    ("ROTATION_FAILURES", 5, { $0.backend.rotationFailures }),
    ("ROTATION_FAILURE_SECONDS", 600, { $0.backend.rotationFailureSeconds }),
    ("TOKENS_PER_CLIENT", 120, { Int64($0.backend.tokenRequestsPerClientAndAddress) }),
    ("TOKENS_PER_DEVICE", 30, { Int64($0.backend.tokenRequestsPerDevice) }),
    ("AUTHORIZATIONS_PER_CLIENT", 300, { Int64($0.backend.authorizationRequestsPerClientAndAddress) }),
    ("CALLS_PER_ADDRESS", 600, { Int64($0.backend.callsPerAddress) }),
    ("PASSWORD_LENGTH", 12, { Int64($0.backend.passwordLength) }),
    ("FREE_PASSWORDS", 5, { $0.backend.freePasswords }),
    ("PASSWORD_DELAY_SECONDS", 2, { $0.backend.passwordDelaySeconds }),
    ("PASSWORD_DELAY_LIMIT_SECONDS", 900, { $0.backend.passwordDelayLimitSeconds }),
    ("FREE_USER_CODES", 5, { $0.backend.freeUserCodes }),
    ("USER_CODE_DELAY_SECONDS", 5, { $0.backend.userCodeDelaySeconds }),
    ("USER_CODE_DELAY_LIMIT_SECONDS", 900, { $0.backend.userCodeDelayLimitSeconds }),
    ("PASSWORD_WORKERS", 1, { Int64($0.backend.passwordWorkers) }),
    ("PASSWORD_QUEUE", 16, { Int64($0.backend.passwordQueue) }),
    ("WORKERS", 64, { Int64($0.running.workers) }),
    ("CONNECTIONS", 2_048, { Int64($0.running.connections) }),
    ("DRAIN_SECONDS", 20, { Int64($0.running.drainSeconds) }),
  ]

  /// Those that are no numbers, and where ``words()`` or another test looks at them.
  private static let words: Set = [
    "LISTEN_ADDRESS", "METRICS_ADDRESS", "SIGNING_ALGORITHM", "LOG_REQUESTS", "IDENTITY_PROVIDERS", "APPLE_ISSUERS",
    "APPLE_KEYS_URL", "GOOGLE_ISSUERS", "GOOGLE_KEYS_URL",
  ]

  private func configuration(_ more: String = "") throws -> BackendConfiguration {
    let sandbox = try Sandbox()
    let text = "MFS_AUTHD_ISSUER: http://127.0.0.1:8480\nMFS_AUTHD_DATABASE: auth.db\n" + more
    return try .load(file: sandbox.write("c.yaml", text), environment: Environment([:]))
  }

  @Test("numbers") func numbers() throws {
    let configuration = try configuration()
    for (name, number, found) in DefaultsTests.numbers {
      #expect(found(configuration) == number, "MFS_AUTHD_\(name)")
    }
    #expect(configuration.running.connectionsPerAddress == 256)
    #expect(configuration.backend.exchangesAtOnce == 8)
  }

  @Test("words and addresses") func words() throws {
    let configuration = try configuration("MFS_AUTHD_METRICS_PORT: 9480\n")
    #expect(configuration.listen.address == "127.0.0.1" && configuration.metrics?.address == "127.0.0.1")
    #expect(configuration.keys.algorithm == .edDSA && configuration.running.logsRequests)
    let providers = configuration.backend.identityProviders
    #expect(providers.map(\.name) == ["apple", "google"])
    #expect(
      providers.map(\.issuers) == [
        ["https://appleid.apple.com"], ["https://accounts.google.com", "accounts.google.com"],
      ])
    #expect(
      providers.map(\.keysURL) == [
        "https://appleid.apple.com/auth/keys", "https://www.googleapis.com/oauth2/v3/certs",
      ])
    // What is not there unless it is set.
    #expect(configuration.webhook == nil && configuration.tls == nil && configuration.keyFile == nil)
    #expect(try self.configuration().metrics == nil)
    #expect(configuration.backend.trustedProxies.isEmpty && configuration.backend.privateHosts.isEmpty)
    #expect(configuration.attestation == AttestationSettings())
  }

  @Test("each default of the catalog is here, and no other") func complete() throws {
    let catalog = try String(contentsOfFile: Programs.checkout + "/env/backend-catalog.yaml", encoding: .utf8)
    let settings = catalog.split(separator: "  - name: MFS_AUTHD_").dropFirst()
    let withDefault = settings.filter { $0.contains("\n    default: ") }.map { String($0.prefix { $0 != "\n" }) }
    #expect(withDefault.sorted() == (DefaultsTests.numbers.map(\.name) + DefaultsTests.words).sorted())
  }
}
