import AuthBackend
import BackendKeys
import BackendStore
import BackendStoreConformance
import Basics
import HTTPServer
import HTTPTestSupport
import SecureMemory
import TestSupport
import Vault

/// A backend with everything that the sign-ins without `/authorize` need: a provider of ID tokens, a verifier of attestations, clients
/// for each flow, a clock that a test turns; behind a real server on 127.0.0.1.
final class FlowFixture: Sendable {
  /// 2026-06-01T00:00:00Z.
  static let start = Timestamp(seconds: 1_780_272_000)
  static let password = "correct horse battery staple"
  /// Argon2id of it with the least memory there is.
  static let cheapHash =
    "$argon2id$v=19$m=8,t=1,p=1$lQCTwfPSZt0vfxhgEiKR4Q$qJKDNSoUoOy1yJ7gAGcPDzPNjCN1SV4gHsMHzVZPc9k"

  let folder: Sandbox
  let store: SQLiteStore
  let backend: Backend
  let server: Server
  let provider: ProviderDouble
  let time: Monitor<Timestamp>
  private let log: Monitor<[BackendEvent]>
  private let request: Monitor<ServerRequest?>

  init(
    verifier: (any AttestationVerifying)? = DeviceDouble.Verifier(), at start: Timestamp = FlowFixture.start,
    settings change: (inout BackendSettings) -> Void = { _ in }
  ) throws {
    let folder = try Sandbox(), time = Monitor(start), log = Monitor<[BackendEvent]>([])
    let clock = { @Sendable in time.withLock { $0 } }
    let store = try SQLiteStore(path: folder("auth.db"))
    let sealer = Sealer(.keyFile(SecureBox(try SecureBytes.random(count: 32))))
    let keys = try KeyRing(store: store, sealer: sealer, clock: clock)
    let peppers = try Peppers(store: store, sealer: sealer, clock: clock)
    try keys.tick()
    try peppers.tick()
    let running = Monitor<Backend?>(nil)
    let seen = Monitor<ServerRequest?>(nil)
    let server = try Server(first: { request, pending in
      seen.withLock { $0 = request }
      return running.withLock { $0 }?.begin(request, pending) { _, _ in } ?? .answer(.cut)
    })
    let provider = try ProviderDouble(clock: clock)
    var settings = try BackendSettings(issuer: server.origin)
    settings.tokenRequestsPerClientAndAddress = 100_000
    settings.authorizationRequestsPerClientAndAddress = 100_000
    settings.callsPerAddress = 100_000
    settings.tokenRequestsPerDevice = 100_000
    settings.identityProviders = [provider.identity]
    settings.privateHosts = ["127.0.0.1"]
    change(&settings)
    let backend = try Backend(
      settings: settings, store: store, keys: keys, peppers: peppers, clock: clock, attestation: verifier,
      onEvent: { event in log.withLock { $0.append(event) } })
    running.withLock { $0 = backend }
    (self.folder, self.store, self.backend, self.server) = (folder, store, backend, server)
    (self.provider, self.time, self.log, request) = (provider, time, log, seen)
    try fill()
  }

  deinit { server.stop(grace: 0) }

  private func fill() throws {
    let all: Set<String> = [
      "authorization_code", "refresh_token", Flow.deviceGrant, Flow.exchangeGrant,
    ]
    for id in ["app", "other", "third", "attested", "watched", "plain", "bound"] {
      var client = Client(id: id, name: "The <\(id)> app", redirectURIs: ["https://\(id).example.com/oauth/callback"])
      client.grants = all
      client.scopes += ["feed"]
      client.properties = [
        provider.identity.clientIDsProperty: "web.\(id), phone.\(id)", "native-new-users": "create",
      ]
      switch id {
      case "third": client.isFirstParty = false
      case "attested": (client.attestation, client.graceSeconds) = (.require, 10)
      case "watched": client.attestation = .observe
      case "plain":
        client.grants = ["authorization_code", "refresh_token"]
        client.properties = [:]
      case "bound": client.devicePolicy = .required
      default: break
      }
      try store.put(client)
    }
    for name in ["alice@example.com", "bob@example.com"] {
      try store.add(
        User(
          id: "user_" + name.prefix { $0 != "@" }, name: name, passwordHash: FlowFixture.cheapHash,
          createdAt: FlowFixture.start))
    }
  }

  var now: Timestamp { time.withLock { $0 } }

  func advance(by seconds: Int64) throws {
    time.withLock { $0 = $0.advanced(by: seconds) }
    try backend.keys.tick()
    try backend.peppers.tick()
  }

  /// The last request that came.
  var lastRequest: ServerRequest? { request.withLock { $0 } }

  /// The events of a name.
  func events(_ name: String) -> [BackendEvent] { log.withLock { $0 }.filter { $0.name == name } }
  /// A field of the last event of a name.
  func last(_ name: String, _ field: String) -> String? {
    events(name).last?.fields.last { $0.name == field }?.value
  }

  func send(_ method: String, _ target: String, headers: [String] = [], body: String? = nil) throws -> RawResponse {
    guard let response = try exchange(server.port, method, target, headers: headers, body: body) else {
      throw Flow.Problem("\(method) \(target) was not answered")
    }
    return response
  }

  func post(_ path: String, _ items: [(String, String)]) throws -> RawResponse {
    try send(
      "POST", path, headers: ["Content-Type: application/x-www-form-urlencoded"], body: Flow.form(items))
  }

  func token(_ grant: String, _ items: [(String, String)], client: String = "app") throws -> RawResponse {
    try post("/oauth/token", [("grant_type", grant), ("client_id", client)] + items)
  }

  func refresh(_ token: String, _ items: [(String, String)] = [], client: String = "app") throws -> RawResponse {
    try self.token("refresh_token", [("refresh_token", token)] + items, client: client)
  }

  /// Whether an access token counts at this server.
  func userInfo(_ access: String) throws -> Int {
    try send("GET", "/oauth/userinfo", headers: ["Authorization: Bearer " + access]).status
  }

  /// Signs a user in at `/authorize` for a client; the code.
  func code(
    _ client: String = "app", device: String? = nil, in browser: FlowBrowser? = nil, user: String = "alice@example.com"
  ) throws -> String {
    var items = [
      ("response_type", "code"), ("client_id", client),
      ("redirect_uri", "https://\(client).example.com/oauth/callback"), ("scope", "openid offline_access"),
      ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
    ]
    if let device { items.append(("device_id", device)) }
    let browser = browser ?? FlowBrowser(self)
    var answer = try browser.get("/authorize?" + Flow.form(items))
    if answer.status == 200 { answer = try browser.signIn(answer, as: user) }
    guard
      let code = answer.text("Location")?.split(separator: "=", maxSplits: 1).dropFirst().first?.prefix(while: {
        $0 != "&"
      })
    else { throw Flow.Problem("no code: \(answer.status) \(answer.text)") }
    return String(code)
  }

  /// What a client sends for a code.
  func redeem(_ code: String, _ items: [(String, String)] = [], client: String = "app") throws -> RawResponse {
    try token(
      "authorization_code",
      [
        ("code", code), ("redirect_uri", "https://\(client).example.com/oauth/callback"),
        ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
      ] + items, client: client)
  }

  /// Disables a user and ends nothing, so that only the check of the account itself can refuse.
  func disable(_ id: String) throws {
    guard var user = try store.user(id: id) else { throw Flow.Problem("no user \(id)") }
    user.isDisabled = true
    _ = try store.change(user, ending: nil, now: now, denyUntil: nil)
  }
}
