internal import Basics
internal import HTTPClient

/// What one run may reach: the manifest's needs with the settings filled in.
struct RunGrants {
  /// The settings that the plugin is given.
  let settings: [(name: String, value: String)]
  /// The stored values it may have, by name.
  let vault: [String: StrategyManifest.VaultUse]
  /// Whether it may ask a person now.
  let mayPrompt: Bool
  /// Whether it may use a person's browser.
  let mayBrowse: Bool
  /// Whether it may store values before its run ends: a login has nothing to store them with yet.
  let mayStore: Bool
  /// The issuer of the identity provider that it may ask for; nil when it names none.
  let issuer: String?
  /// What it may do at the servers that the identity provider names.
  private let providerMethods: Set<HTTPRequest.Method>
  private var origins: [(origin: HTTPOrigin, methods: Set<HTTPRequest.Method>)]

  /// The grants of a call. Throws ``StrategyFailure`` of ``StrategyFailure/Reason/badSettings``.
  init(_ manifest: StrategyManifest, _ call: StrategyCall) throws(StrategyFailure) {
    var settings: [(name: String, value: String)] = []
    for setting in manifest.settings {
      if let value = call.settings[setting.name], !value.isEmpty {
        settings.append((setting.name, value))
      } else if setting.isRequired {
        throw StrategyFailure(.badSettings, "the setting \(setting.name) is missing")
      }
    }
    var origins: [(origin: HTTPOrigin, methods: Set<HTTPRequest.Method>)] = []
    var providerMethods: Set<HTTPRequest.Method> = []
    for need in manifest.origins {
      switch need.place {
      case .fixed(let origin): origins.append((origin, need.methods))
      case .provider: providerMethods.formUnion(need.methods)
      case .setting(let name):
        guard let value = settings.first(where: { $0.name == name })?.value else { continue }
        guard let origin = HTTPOrigin(of: value) else {
          throw StrategyFailure(.badSettings, "the setting \(name) is not a URL that can be used")
        }
        origins.append((origin, need.methods))
      }
    }
    self.settings = settings
    self.origins = origins
    self.providerMethods = providerMethods
    if let provider = manifest.provider, let value = settings.first(where: { $0.name == provider.setting })?.value {
      guard HTTPOrigin(of: value) != nil else {
        throw StrategyFailure(.badSettings, "the setting \(provider.setting) is not a URL that can be used")
      }
      issuer = value
    } else {
      issuer = nil
    }
    vault = Dictionary(uniqueKeysWithValues: manifest.vault.map { ($0.name, $0) })
    mayPrompt = manifest.prompt != nil && call.operation == .login
    mayStore = call.operation == .refresh
    // A logout may open the provider's page that ends its own session.
    mayBrowse = manifest.browser != nil && call.operation != .refresh
  }

  /// Lets the need `provider` stand for the servers of these endpoints too.
  mutating func add(endpoints: [HTTPOrigin]) {
    for origin in endpoints where !origins.contains(where: { $0.origin == origin && $0.methods == providerMethods }) {
      origins.append((origin, providerMethods))
    }
  }

  /// Whether a page of that server may be opened in a browser.
  func allowsPage(_ origin: HTTPOrigin) -> Bool { mayBrowse && origins.contains { $0.origin == origin } }

  /// Whether a request may be made.
  func allows(_ method: HTTPRequest.Method, _ origin: HTTPOrigin) -> Bool {
    origins.contains { $0.origin == origin && $0.methods.contains(method) }
  }
}
