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
  private let origins: [(origin: HTTPOrigin, methods: Set<HTTPRequest.Method>)]

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
    for need in manifest.origins {
      switch need.place {
      case .fixed(let origin): origins.append((origin, need.methods))
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
    vault = Dictionary(uniqueKeysWithValues: manifest.vault.map { ($0.name, $0) })
    mayPrompt = manifest.prompt != nil && call.operation == .login
  }

  /// Whether a request may be made.
  func allows(_ method: HTTPRequest.Method, _ origin: HTTPOrigin) -> Bool {
    origins.contains { $0.origin == origin && $0.methods.contains(method) }
  }
}
