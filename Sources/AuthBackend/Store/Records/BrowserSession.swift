public import Basics

/// Somebody signed in at this server in a browser, known by a cookie.
public struct BrowserSession: Equatable, Sendable {
  /// The hash of the cookie, which is the session's id.
  public var hash: KeyedHash
  /// A public name of it, for codes and the audit log.
  public var id: String
  /// Who signed in.
  public var user: String
  /// When the password was given.
  public var authTime: Timestamp
  /// From when on it is over.
  public var expiresAt: Timestamp

  /// A session.
  public init(hash: KeyedHash, id: String, user: String, authTime: Timestamp, expiresAt: Timestamp) {
    self.hash = hash
    self.id = id
    self.user = user
    self.authTime = authTime
    self.expiresAt = expiresAt
  }
}
