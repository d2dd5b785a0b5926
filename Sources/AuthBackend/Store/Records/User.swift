public import Basics

/// Somebody who signs in.
public struct User: Equatable, Sendable {
  /// `sub`: never changes, never used again.
  public var id: String
  /// What is typed on the sign-in page, in lower case.
  public var name: String
  /// Argon2id in its own text form (`$argon2id$...`); nil for who signs in by Apple or Google only.
  public var passwordHash: String?
  /// Claims for ID tokens and `userinfo` beside `sub`, by name (OIDC Core 5.1).
  public var claims: [String: JSONValue]
  /// Whether an administrator has shut the account.
  public var isDisabled: Bool
  /// When the password was last set.
  public var passwordChangedAt: Timestamp?
  /// When the account was made.
  public var createdAt: Timestamp

  /// An account that is open.
  public init(id: String, name: String, passwordHash: String?, createdAt: Timestamp) {
    self.id = id
    self.name = name
    self.passwordHash = passwordHash
    claims = [:]
    isDisabled = false
    passwordChangedAt = nil
    self.createdAt = createdAt
  }
}
