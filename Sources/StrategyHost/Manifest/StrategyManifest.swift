internal import Basics
internal import HTTPClient

/// What a plugin says about itself and asks for, from `mfs-strategy-NAME.yaml`. docs/PLUGINS.md describes the form.
public struct StrategyManifest: Sendable {
  /// When a plugin asks a person.
  public enum Interaction: String, Sendable, CaseIterable {
    /// Never.
    case never
    /// While it signs in.
    case login
  }

  /// A setting it is given.
  public struct Setting: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// Whether it cannot work without.
    public let isRequired: Bool
  }

  /// A server it talks to.
  public struct Origin: Sendable, Hashable {
    /// Which server.
    enum Place: Sendable, Hashable {
      /// The origin of a setting's URL.
      case setting(String)
      /// The origins of the endpoints that the identity provider names.
      case provider
      /// One that is fixed.
      case fixed(HTTPOrigin)
    }

    /// Which server.
    let place: Place
    /// What it does there.
    let methods: Set<HTTPRequest.Method>
    /// Why, for the user.
    public let purpose: String

    /// The grants that this asks for, e.g. `http:setting:EXPO_PUBLIC_SG_URL:POST`.
    public var grants: [String] { methods.map(\.rawValue).sorted().map { "http:\(place):\($0)" } }

    /// What it does where, and why, e.g. `POST to the server of EXPO_PUBLIC_SG_URL: opens the session`.
    public var text: String {
      let what = methods.map(\.rawValue).sorted().joined(separator: ", ")
      switch place {
      case .setting(let name): return "\(what) to the server of \(name): \(purpose)"
      case .provider: return "\(what) to the servers that the identity provider names: \(purpose)"
      case .fixed(let origin): return "\(what) to \(origin): \(purpose)"
      }
    }
  }

  /// A stored value it needs.
  public struct VaultUse: Sendable, Hashable {
    /// What is done with a stored value.
    public enum Access: String, Sendable, CaseIterable {
      /// It is used through a handle, without being seen.
      case use
      /// Its bytes are seen, and it can be used.
      case read
      /// It is replaced.
      case store
    }

    /// The value's name.
    public let name: String
    /// What is done with it.
    public let access: Set<Access>
    /// Why, for the user.
    public let purpose: String

    /// The grants that this asks for, e.g. `vault:use:auth.password`.
    public var grants: [String] { access.map(\.rawValue).sorted().map { "vault:\($0):\(name)" } }
  }

  /// The identity provider it signs in with.
  public struct Provider: Sendable, Hashable {
    /// The setting that holds the issuer.
    public let setting: String
    /// Why, for the user.
    public let purpose: String
  }

  /// Its name.
  public let name: StrategyName
  /// Its own version.
  public let version: String
  /// The ABI version it is built for.
  public let abi: Int
  /// What it is, in a line.
  public let summary: String
  /// What it can do.
  public let operations: [StrategyOperation]
  /// When it asks a person.
  public let interaction: Interaction
  /// The settings it is given.
  public let settings: [Setting]
  /// The servers it talks to.
  public let origins: [Origin]
  /// The stored values it needs.
  public let vault: [VaultUse]
  /// The identity provider whose metadata and keys it needs; nil for none.
  public let provider: Provider?
  /// Why it asks a person; nil when it does not.
  public let prompt: String?
  /// Why it opens a person's browser; nil when it does not.
  public let browser: String?

  /// The grants in a form to show and to pin, e.g. `http:setting:EXPO_PUBLIC_SG_URL:POST`, `vault:use:auth.password`.
  public var grants: [String] {
    let issuer = provider.map { ["oidc:setting:\($0.setting)"] } ?? []
    return origins.flatMap(\.grants) + issuer + vault.flatMap(\.grants) + (prompt == nil ? [] : ["prompt"])
      + (browser == nil ? [] : ["browser"])
  }
}

extension StrategyManifest.Origin.Place: CustomStringConvertible {
  /// As the manifest has it.
  var description: String {
    switch self {
    case .setting(let name): "setting:\(name)"
    case .provider: "provider"
    case .fixed(let origin): origin.description
    }
  }
}

extension StrategyOperation {
  /// The word for it in manifests and output.
  public var word: String {
    switch self {
    case .login: "login"
    case .refresh: "refresh"
    case .logout: "logout"
    }
  }
}
