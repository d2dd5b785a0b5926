/// Somebody else who signs users in, and whose ID tokens (OpenID Connect Core 2) an app on a phone gets without a browser.
public struct IdentityProvider: Equatable, Sendable {
  /// Its name in the names of clients' properties.
  public var name: String
  /// What its tokens have in `iss`.
  public var issuers: [String]
  /// Where its keys are (`jwks_uri`).
  public var keysURL: String

  /// A provider.
  public init(name: String, issuers: [String], keysURL: String) {
    self.name = name
    self.issuers = issuers
    self.keysURL = keysURL
  }

  /// Sign in with Apple.
  public static let apple = IdentityProvider(
    name: "apple", issuers: ["https://appleid.apple.com"], keysURL: "https://appleid.apple.com/auth/keys")
  /// Sign in with Google, whose tokens may leave the scheme out of `iss`.
  public static let google = IdentityProvider(
    name: "google", issuers: ["https://accounts.google.com", "accounts.google.com"],
    keysURL: "https://www.googleapis.com/oauth2/v3/certs")

  /// The property with which a client names what its app is called at the provider, several separated by blanks or commas:
  /// `apple-client-ids`. Without it the client takes no token of the provider's.
  public var clientIDsProperty: String { name + "-client-ids" }
}
