internal import Basics
internal import JOSE

/// Everything that requests at the provider share. What it issued is kept as digests only.
struct ProviderState {
  /// One sign-in and all that came of it: it lives and dies as a whole.
  struct Family {
    let user: String
    let scopes: [String]
    let authenticated: Timestamp
    /// Its tokens are the gateway's, which has a secret to prove that with.
    var isGateways = false
    var isAlive = true
  }

  /// A code, until its time has come.
  struct Code {
    let family: Int
    let redirect: String
    let challenge: String?
    let nonce: String?
    let expires: Timestamp
    /// Only the gateway's back channel may exchange it.
    let isGateways: Bool
    var isUsed = false
  }

  struct RefreshToken {
    let family: Int
    let expires: Timestamp
    var isUsed = false
  }

  struct AccessToken {
    let family: Int
    let expires: Timestamp
  }

  /// A browser that is signed in.
  struct Login {
    let user: String
    let authenticated: Timestamp
    let expires: Timestamp
  }

  struct Device {
    enum Decision: Equatable {
      case pending, denied
      case approved(user: String, authenticated: Timestamp)
    }

    let userCode: String
    let scopes: [String]
    let expires: Timestamp
    var interval: Int64
    var lastAsked: Timestamp?
    var decision = Decision.pending
  }

  var scenario: ProviderScenario
  /// How often each fault was met, by its place in the scenario.
  var seen: [Int]
  /// The newest first. Two are published; older ones still tell whether a token was ours once.
  var keys: [SigningKey]
  var families: [Family] = []
  var codes: [SecretDigest: Code] = [:]
  var refreshTokens: [SecretDigest: RefreshToken] = [:]
  var accessTokens: [SecretDigest: AccessToken] = [:]
  var logins: [SecretDigest: Login] = [:]
  var devices: [SecretDigest: Device] = [:]
  var calls: [ProviderCallRecord] = []

  init(_ scenario: ProviderScenario, key: SigningKey) {
    self.scenario = scenario
    seen = scenario.faults.map { _ in 0 }
    keys = [key]
  }

  /// The first fault that is met at this step.
  mutating func nextFault(_ step: ProviderFault.Step, at endpoint: ProviderEndpoint) -> ProviderFault? {
    for (index, fault) in scenario.faults.enumerated() where fault.kind.step == step && fault.applies(at: endpoint) {
      let number = seen[index]
      seen[index] = number + 1
      if number >= fault.after, fault.times.map({ number - fault.after < $0 }) ?? true { return fault }
    }
    return nil
  }

  mutating func sign(with key: SigningKey) { keys = [key] + keys.prefix(63) }

  mutating func begin(_ family: Family) -> Int {
    families.append(family)
    return families.count - 1
  }

  mutating func end(_ family: Int) { families[family].isAlive = false }

  /// The sign-in behind an access token; nil when the token is none, or its time or the sign-in is over.
  func family(ofAccess token: SecretDigest, now: Timestamp) -> Family? {
    guard let token = accessTokens[token], now < token.expires, families[token.family].isAlive else { return nil }
    return families[token.family]
  }

  /// Forgets what can never be used again, when there is much of it.
  mutating func tidy(now: Timestamp) {
    guard codes.count + accessTokens.count + logins.count + devices.count > 20_000 else { return }
    codes = codes.filter { now < $0.value.expires.advanced(by: 3_600) }
    accessTokens = accessTokens.filter { now < $0.value.expires }
    logins = logins.filter { now < $0.value.expires }
    devices = devices.filter { now < $0.value.expires.advanced(by: 3_600) }
  }
}
