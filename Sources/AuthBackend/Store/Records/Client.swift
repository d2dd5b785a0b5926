/// A registered client (RFC 6749 2, RFC 8252 8.4). Mobile clients are public: they have no secret.
public struct Client: Hashable, Sendable {
  /// How a client must tell its device.
  public enum DevicePolicy: String, Hashable, Sendable, CaseIterable {
    /// A sign-in without a `device_id` makes a family that is bound to none.
    case optional
    /// A sign-in without a `device_id` is refused.
    case required
  }

  /// What is made of a device's attestation.
  public enum AttestationPolicy: String, Hashable, Sendable, CaseIterable {
    /// It is not looked at.
    case off
    /// It is verified and written down; nothing is refused.
    case observe
    /// Token requests without a good one are refused.
    case require
  }

  /// `client_id`, as it was registered, byte for byte.
  public var id: String
  /// What the sign-in page calls it.
  public var name: String
  /// Redirect URIs, compared as strings; only the port of a loopback one is free (RFC 8252 7.3).
  public var redirectURIs: [String]
  /// Where a sign-out may lead back to, compared as strings.
  public var postLogoutRedirectURIs: [String]
  /// Scopes that it may ask for.
  public var scopes: [String]
  /// `grant_type`s that it may use.
  public var grants: Set<String>
  /// Whether it is ours: then nobody is asked for consent.
  public var isFirstParty: Bool
  /// `aud` of its access tokens.
  public var audience: String
  /// What is asked of its devices.
  public var devicePolicy: DevicePolicy
  /// What is asked of their attestation.
  public var attestation: AttestationPolicy
  /// How many seconds after a rotation the direct predecessor gets the same successor again, 0...10; 0 is never.
  public var graceSeconds: Int64
  /// The rest of the registration by its name, such as `apple-app-id`, `android-package`; values are not secret.
  public var properties: [String: String]
  /// Whether it may be used at all.
  public var isEnabled: Bool

  /// A client of ours with the defaults of a mobile app: code and refresh, device bound, no grace.
  public init(id: String, name: String, redirectURIs: [String]) {
    self.id = id
    self.name = name
    self.redirectURIs = redirectURIs
    postLogoutRedirectURIs = []
    scopes = ["openid", "profile", "email", "offline_access"]
    grants = ["authorization_code", "refresh_token"]
    isFirstParty = true
    audience = "api"
    devicePolicy = .optional
    attestation = .off
    graceSeconds = 0
    properties = [:]
    isEnabled = true
  }
}
