public import Basics
public import JOSE
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

/// A small OpenID provider for the lab's users: code flow with PKCE, implicit flow, device flow, refresh tokens that rotate,
/// revocation and logout, and faults on demand. docs/LAB.md tells what it has.
///
/// It answers requests and knows nothing of sockets; ``Lab`` puts it on a port. It keeps everything in memory, and of what it
/// issued only digests.
public final class IdentityProvider: Sendable {
  let state: Mutex<ProviderState>
  let clock: @Sendable () -> Timestamp
  let digestKey = randomBytes(32)
  private let place = Mutex((issuer: "", gateway: ""))
  // The gateway has the users. It holds this provider's answers to be true, so one of the two must not own the other.
  private weak let gateway: Gateway?

  /// A provider for a gateway's users. Throws ``FailureCode/inputOutput`` when no key can be made.
  init(_ scenario: ProviderScenario, gateway: Gateway, clock: @escaping @Sendable () -> Timestamp) throws(Failure) {
    state = Mutex(ProviderState(scenario, key: try SigningKey.generate(scenario.options.algorithm)))
    self.gateway = gateway
    self.clock = clock
  }

  /// Says where the provider and the gateway are, once their ports are known.
  func open(at issuer: String, gateway: String) { place.withLock { $0 = (issuer, gateway) } }

  /// The issuer, e.g. `http://127.0.0.1:41675`.
  public var issuer: String { place.withLock { $0.issuer } }

  /// The gateway's origin, whose `_oidc_callback` is registered too.
  var gatewayOrigin: String { place.withLock { $0.gateway } }

  /// The gateway's `callback_url`, which is registered too.
  var gatewayCallback: String? { gateway?.scenario.options.openID.callbackURL }

  /// The id of the client.
  public var clientID: String { options.clientID }

  /// Its configuration and what goes wrong. Setting it begins the counts of faults anew; sign-ins stay.
  public var scenario: ProviderScenario {
    get { state.withLock { $0.scenario } }
    set {
      state.withLock { state in
        state.scenario = newValue
        state.seen = newValue.faults.map { _ in 0 }
      }
    }
  }

  /// Changes its configuration and what goes wrong. Faults that stay go on counting.
  func change(to new: ProviderScenario) {
    state.withLock { state in
      state.seen = carriedOver(state.seen, of: state.scenario.faults, to: new.faults)
      state.scenario = new
    }
  }

  /// Its configuration. It can be changed at any time.
  public var options: ProviderOptions {
    get { state.withLock { $0.scenario.options } }
    set { state.withLock { $0.scenario.options = newValue } }
  }

  /// What goes wrong. Setting it begins the counts anew.
  public var faults: [ProviderFault] {
    get { scenario.faults }
    set {
      state.withLock { state in
        state.scenario.faults = newValue
        state.seen = newValue.map { _ in 0 }
      }
    }
  }

  /// The last 10,000 requests that were answered, the oldest first.
  public var calls: [ProviderCallRecord] { state.withLock { $0.calls } }

  /// How many requests an endpoint has answered, of the last 10,000 in all.
  public func count(of endpoint: ProviderEndpoint) -> Int { calls.count { $0.path == endpoint.path } }

  /// The public keys that are published, the newest first: the one that signs, and the one before.
  public var publicKeys: [JSONWebKey] { state.withLock { $0.keys.prefix(2).map(\.publicKey) } }

  /// Signs with a new key from now on. The one before stays published, so that tokens which it signed are still good; older
  /// ones do not. Throws ``FailureCode/inputOutput`` when no key can be made.
  public func rotateKeys() throws(Failure) {
    let key = try SigningKey.generate(options.algorithm)
    state.withLock { $0.sign(with: key) }
  }

  /// Ends every sign-in: refresh tokens and access tokens are dead, browsers are signed out.
  public func endSignIns() {
    state.withLock { state in
      for index in state.families.indices { state.end(index) }
      state.logins = [:]
    }
  }

  /// How many sign-ins have a refresh token that works.
  public var liveSignIns: Int {
    let now = clock()
    return state.withLock { state in
      let families = state.refreshTokens.values.filter { !$0.isUsed && now < $0.expires }.map(\.family)
      return Set(families).count { state.families[$0].isAlive }
    }
  }

  /// Whether a password is a user's.
  func verify(_ name: String, _ password: SecureBox) -> Bool { gateway?.verify(name, password) ?? false }

  /// The key to sign with, a new one when the options ask for another algorithm.
  func signingKey() throws(Failure) -> SigningKey {
    let (key, algorithm) = state.withLock { ($0.keys[0], $0.scenario.options.algorithm) }
    if key.algorithm == algorithm { return key }
    let made = try SigningKey.generate(algorithm)
    return state.withLock { state in
      // Another request may have been faster.
      if state.keys[0].algorithm != algorithm { state.sign(with: made) }
      return state.keys[0]
    }
  }

  func digest(_ secret: SecureBox) -> SecretDigest { SecretDigest(secret.bytes, key: digestKey) }

  /// A new secret of 256 bits as a text, and its digest.
  func makeSecret() throws(OAuthError) -> (text: String, digest: SecretDigest) {
    let text = Base64URL.encode(randomBytes(32))
    guard let bytes = try? SecureBytes(publicText: text) else { throw .serverError }
    return (text, SecretDigest(bytes, key: digestKey))
  }

  func nextFault(_ step: ProviderFault.Step, at endpoint: ProviderEndpoint) -> ProviderFault? {
    state.withLock { $0.nextFault(step, at: endpoint) }
  }
}
