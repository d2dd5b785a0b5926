public import AuthBackend
public import BackendKeys
public import Basics
internal import HTTPClient
internal import JOSE
internal import Settings

/// The configuration of a server, checked: docs/BACKEND-SETTINGS.md has each setting.
public struct BackendConfiguration: Sendable {
  /// What the backend is set to.
  public let backend: BackendSettings
  /// How signing keys are made and published.
  public let keys: KeyRingSettings
  /// How peppers are made and kept.
  public let peppers: PepperSettings
  /// Where it listens.
  public let listen: (address: String, port: UInt16)
  /// The files of the certificate and its key; nil without TLS.
  public var tls: (certificate: String, key: String)? {
    if let certificate = tlsFiles.certificate, let key = tlsFiles.key { (certificate, key) } else { nil }
  }
  /// The same, each by itself.
  let tlsFiles: (certificate: String?, key: String?)
  /// The database file.
  public let database: String
  /// The key file; nil when a systemd credential is to be used.
  public let keyFile: String?
  /// The folder in which systemd hands credentials over; nil when it hands none.
  public let credentials: String?
  /// What attestations of phones are verified with.
  public let attestation: AttestationSettings
  /// Where metrics are served; nil when they are not.
  public let metrics: (address: String, port: UInt16)?
  /// Where alerts are sent; nil when they are only logged.
  public let webhook: WebhookSettings?
  /// The authorities of the webhook, also where its address cannot be used.
  let webhookAuthorities: String?
  /// The rest of what runs.
  public let running: RunningSettings

  /// Reads the file, if one is named, and the environment.
  ///
  /// Throws ``FailureCode/configuration`` with the first thing that is wrong, ``FailureCode/notFound`` and
  /// ``FailureCode/inputOutput`` for the file.
  public static func load(file: String?, environment: Environment) throws(Failure) -> BackendConfiguration {
    let (configuration, findings) = try check(file: file, environment: environment)
    if let wrong = findings.first(where: \.isError) {
      let others = findings.count(where: \.isError) - 1
      throw Failure(
        .configuration, (wrong.place.map { "\($0): " } ?? "") + wrong.message,
        hint: (wrong.help ?? "see docs/BACKEND-SETTINGS.md") + (others > 0 ? "; 'config check' says what else" : ""))
    }
    guard let configuration else { throw Failure(.bug, "a configuration without faults cannot be used") }
    return configuration
  }

  /// Says all that is wrong; the configuration is nil when something is. Throws when the file cannot be read as one, or when a path of the
  /// environment is none.
  public static func check(
    file: String?, environment: Environment
  ) throws(Failure) -> (configuration: BackendConfiguration?, findings: [ConfigurationFinding]) {
    let draft = try Draft(file: file, environment: environment)
    return (draft.findings.contains(where: \.isError) ? nil : draft.configuration, draft.placed())
  }

  /// docs/BACKEND-SETTINGS.md.
  public static var document: String {
    SettingsDocument(
      BackendCatalog.catalog,
      head: SettingsDocument.Head(
        command: "mfs-authd config docs", title: "Settings of mfs-authd",
        text: """
          `mfs-authd` reads one YAML file, which `--config` or `MFS_AUTHD_CONFIG` names, and the environment, which wins; the names
          are the same in both. In the file a list may be a YAML list. A name of this kind that does not stand here is an error.
          `mfs-authd config check` checks them. An empty value counts as none.
          """)
    ).text
  }

  init(_ values: ConfigurationValues, credentials: String?) throws(Failure) {
    var backend = try BackendSettings(issuer: values.text("ISSUER") ?? "")
    backend.accessTokenSeconds = values.number("ACCESS_TOKEN_SECONDS")
    backend.idTokenSeconds = values.number("ID_TOKEN_SECONDS")
    backend.codeSeconds = values.number("CODE_SECONDS")
    backend.familySeconds = values.number("FAMILY_SECONDS")
    backend.idleSeconds = values.number("IDLE_SECONDS")
    backend.browserSessionSeconds = values.number("BROWSER_SESSION_SECONDS")
    backend.deviceCodeSeconds = values.number("DEVICE_CODE_SECONDS")
    backend.devicePollSeconds = values.number("DEVICE_POLL_SECONDS")
    backend.leewaySeconds = values.number("LEEWAY_SECONDS")
    backend.rotationFailures = values.number("ROTATION_FAILURES")
    backend.rotationFailureSeconds = values.number("ROTATION_FAILURE_SECONDS")
    backend.tokenRequestsPerClientAndAddress = values.count("TOKENS_PER_CLIENT")
    backend.tokenRequestsPerDevice = values.count("TOKENS_PER_DEVICE")
    backend.authorizationRequestsPerClientAndAddress = values.count("AUTHORIZATIONS_PER_CLIENT")
    backend.callsPerAddress = values.count("CALLS_PER_ADDRESS")
    backend.freePasswords = values.number("FREE_PASSWORDS")
    backend.passwordDelaySeconds = values.number("PASSWORD_DELAY_SECONDS")
    backend.passwordDelayLimitSeconds = values.number("PASSWORD_DELAY_LIMIT_SECONDS")
    backend.passwordLength = values.count("PASSWORD_LENGTH")
    backend.freeUserCodes = values.number("FREE_USER_CODES")
    backend.userCodeDelaySeconds = values.number("USER_CODE_DELAY_SECONDS")
    backend.userCodeDelayLimitSeconds = values.number("USER_CODE_DELAY_LIMIT_SECONDS")
    backend.attestationChallengeSeconds = values.number("ATTESTATION_CHALLENGE_SECONDS")
    let providers = values.list("IDENTITY_PROVIDERS")
    backend.identityProviders = [IdentityProvider.apple, .google].filter { providers.contains($0.name) }
      .map { values.provider($0) }
    backend.privateHosts = Set(values.list("PRIVATE_HOSTS").map { $0.lowercased() })
    backend.passwordWorkers = values.count("PASSWORD_WORKERS")
    backend.passwordQueue = values.count("PASSWORD_QUEUE")
    // With half of them for passwords at most, some are left whatever a provider does.
    backend.exchangesAtOnce = min(backend.exchangesAtOnce, max(1, values.count("WORKERS") / 4))
    backend.trustedProxies = Set(values.list("TRUSTED_PROXIES"))
    backend.speaksTLS = values.text("TLS_CERTIFICATE") != nil
    self.backend = backend
    var keys = KeyRingSettings()
    keys.algorithm = values.text("SIGNING_ALGORITHM") == "RS256" ? .rs256 : .edDSA
    keys.rotationSeconds = values.number("KEY_ROTATION_SECONDS")
    keys.maxAgeSeconds = values.number("JWKS_MAX_AGE_SECONDS")
    keys.longestTokenSeconds = max(keys.longestTokenSeconds, backend.idTokenSeconds)
    keys.leewaySeconds = max(keys.leewaySeconds, backend.leewaySeconds)
    self.keys = keys
    var peppers = PepperSettings()
    peppers.rotationSeconds = values.number("PEPPER_ROTATION_SECONDS")
    peppers.keepSeconds = values.number("PEPPER_KEEP_SECONDS")
    self.peppers = peppers
    listen = (values.text("LISTEN_ADDRESS") ?? "", UInt16(clamping: values.number("LISTEN_PORT")))
    tlsFiles = (values.text("TLS_CERTIFICATE"), values.text("TLS_KEY"))
    database = values.text("DATABASE") ?? ""
    keyFile = values.text("KEY_FILE")
    self.credentials = credentials
    attestation = AttestationSettings(
      roots: values.text("APP_ATTEST_ROOTS"), packages: values.list("PLAY_INTEGRITY_PACKAGES"),
      folder: values.text("PLAY_INTEGRITY_FOLDER"), credentials: credentials)
    metrics = values.text("METRICS_PORT").map { _ in
      (values.text("METRICS_ADDRESS") ?? "", UInt16(clamping: values.number("METRICS_PORT")))
    }
    webhookAuthorities = values.isGiven("WEBHOOK_URL") ? values.text("WEBHOOK_AUTHORITIES") : nil
    if let text = values.text("WEBHOOK_URL"), let url = HTTPURL(text) {
      webhook = WebhookSettings(
        url: url, allowedHosts: Set(values.list("WEBHOOK_ALLOWED_HOSTS").map { $0.lowercased() }),
        authorities: webhookAuthorities)
    } else {
      webhook = nil
    }
    running = RunningSettings(
      workers: values.count("WORKERS"), connections: values.count("CONNECTIONS"),
      connectionsPerAddress: values.text("CONNECTIONS_PER_ADDRESS") == nil
        ? (backend.trustedProxies.isEmpty ? 256 : 0) : values.count("CONNECTIONS_PER_ADDRESS"),
      drainSeconds: values.count("DRAIN_SECONDS"),
      keepSeconds: values.number("KEEP_SECONDS"), logsRequests: values.text("LOG_REQUESTS") != "false")
  }
}

extension ConfigurationValues {
  // A provider with the issuers and the address of its keys that are set.
  fileprivate func provider(_ usual: IdentityProvider) -> IdentityProvider {
    let name = usual.name.uppercased()
    var provider = usual
    provider.issuers = list(name + "_ISSUERS")
    provider.keysURL = text(name + "_KEYS_URL") ?? usual.keysURL
    return provider
  }
}

/// What is set of how the server runs.
public struct RunningSettings: Sendable {
  /// Requests that are handled at the same time.
  public let workers: Int
  /// Connections that may be open.
  public let connections: Int
  /// Connections of one address; 0 is no limit.
  public let connectionsPerAddress: Int
  /// How many seconds answers get to be taken when it stops.
  public let drainSeconds: Int
  /// How many seconds what is over is kept.
  public let keepSeconds: Int64
  /// Whether each request is logged.
  public let logsRequests: Bool
}
