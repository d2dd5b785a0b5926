public import BackendKeys
public import BackendStore
public import Basics
public import HTTPServer

/// The mobile auth backend: an OAuth 2.1 authorization server with OpenID Connect for native apps (RFC 6749, 7636, 8252, 9700).
///
/// It answers requests from any number of threads. All state is in the store; what is here can be lost.
public final class Backend: Sendable {
  /// What it is set to.
  public let settings: BackendSettings
  /// Where the state is.
  public let store: any AuthStore
  /// What tokens are signed with.
  public let keys: KeyRing
  /// What stored secrets are hashed with.
  public let peppers: Peppers
  /// The time.
  public let clock: @Sendable () -> Timestamp
  /// What attestations of devices are verified with; without it those of clients that require one are all refused.
  public let attestation: (any AttestationVerifying)?
  /// Is told each event that the audit log has, and each that an operator should hear of at once (`alert`).
  public let onEvent: @Sendable (BackendEvent) -> Void

  let clientLimiter: RateLimiter
  let deviceLimiter: DeviceLimiter
  let authorizeLimiter: RateLimiter
  let callLimiter: RateLimiter
  let records = Floods(perEvent: 60)
  let alerts = Floods(perEvent: 20)
  let resourceLimiter = RateLimiter(perMinute: Backend.refusalsPerMinute)
  let passwords: PasswordChecker
  let metrics = Metrics()
  let clients = ClientCache()
  let accessTokens: AccessTokenIssuer
  let idTokens: IDTokenIssuer
  let providers: [ProviderKeys]
  let exchanges: Gate
  let readinessCheck = ReadinessCheck()

  /// What the server calls itself where it asks others.
  public static let agent = "mfs-authd"

  /// Wrong names or secrets of resource servers from one address that are told so in a minute, and are in the audit log.
  static let refusalsPerMinute = 20

  /// A backend over a store. Throws what the key ring and the peppers throw when they cannot be read or made.
  public init(
    settings: BackendSettings, store: any AuthStore, keys: KeyRing, peppers: Peppers,
    clock: @escaping @Sendable () -> Timestamp = { .now() },
    attestation: (any AttestationVerifying)? = nil,
    onEvent: @escaping @Sendable (BackendEvent) -> Void = { _ in }
  ) throws(Failure) {
    self.settings = settings
    self.store = store
    self.keys = keys
    self.peppers = peppers
    self.clock = clock
    self.attestation = attestation
    self.onEvent = onEvent
    var providers: [ProviderKeys] = []
    for provider in settings.identityProviders {
      providers.append(try ProviderKeys(provider, privateHosts: settings.privateHosts, clock: clock))
    }
    self.providers = providers
    clientLimiter = RateLimiter(perMinute: settings.tokenRequestsPerClientAndAddress)
    deviceLimiter = DeviceLimiter(perMinute: settings.tokenRequestsPerDevice)
    authorizeLimiter = RateLimiter(perMinute: settings.authorizationRequestsPerClientAndAddress)
    callLimiter = RateLimiter(perMinute: settings.callsPerAddress)
    exchanges = Gate(settings.exchangesAtOnce)
    passwords = try PasswordChecker(workers: settings.passwordWorkers, queue: settings.passwordQueue)
    accessTokens = try AccessTokenIssuer(
      issuer: settings.issuer, keys: keys, lifetimeSeconds: settings.accessTokenSeconds)
    idTokens = try IDTokenIssuer(issuer: settings.issuer, keys: keys, lifetimeSeconds: settings.idTokenSeconds)
  }

  /// Answers a request. A refresh, which is what most of a server's requests are, is begun on the thread that read it, where all that has to
  /// be looked up for it is in memory: its rotation is a part of the store's next transaction, or one of its own that the thread commits
  /// when no other request is on its way, and its answer is made by the thread that sends it. What takes longer, or goes wrong, is a worker's.
  /// `tell` is told of each answer on its way out.
  public func begin(
    _ request: ServerRequest, _ pending: PendingAnswer,
    tell: @escaping @Sendable (RequestSummary, ServerResponse) -> Void
  ) -> FirstStep {
    let call = BackendCall(backend: self, request: request)
    let finish = { @Sendable (response: ServerResponse) in
      let response = self.strict(response)
      self.metrics.count(call.endpoint, response.status)
      tell(RequestSummary(call), response)
      return response
    }
    guard call.endpoint == .token, request.method == "POST" else { return .worker { finish(call.run()) } }
    return call.beginToken(pending, finish)
  }

  // Two years, which is what the lists of browsers ask for. Nothing is said for other names of the domain.
  private func strict(_ response: ServerResponse) -> ServerResponse {
    guard settings.speaksTLS else { return response }
    var response = response
    response.headers.add("Strict-Transport-Security", "max-age=63072000")
    return response
  }

  /// The counts since the start, in the text format of Prometheus (version 0.0.4).
  public var metricsText: String { metrics.text }

  /// What ``begin(_:_:tell:)`` tells of a request, for one that is answered without the backend.
  public func summary(of request: ServerRequest) -> RequestSummary {
    RequestSummary(BackendCall(backend: self, request: request))
  }
}

/// What a log may say of a request.
public struct RequestSummary: Sendable {
  private let call: BackendCall

  init(_ call: BackendCall) { self.call = call }

  /// What it asks for, by a name of ours and never by its text; nil when nothing is there.
  public var endpoint: String? { call.endpoint?.name }
  /// The client's address, as limits count it.
  public var address: String { call.address }
}

/// Something that happened, without secrets.
public struct BackendEvent: Sendable {
  /// Its name, such as `refresh.refused`.
  public let name: String
  /// What it was about, in order.
  public let fields: [(name: String, value: String)]
  /// Whether somebody should look at once.
  public let isAlert: Bool
  /// When.
  public let at: Timestamp

  /// Something that happened.
  public init(name: String, fields: [(name: String, value: String)], isAlert: Bool, at: Timestamp) {
    (self.name, self.fields, self.isAlert, self.at) = (name, fields, isAlert, at)
  }
}
