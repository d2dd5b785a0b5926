public import Basics

/// That a subject at a provider, such as Apple or Google, may sign in as a user. A subject has one user, and a user at most one subject
/// of each issuer.
public struct IdentityLink: Equatable, Sendable {
  /// Who vouches for the subject, by one name whichever of several the provider uses for itself.
  public var issuer: String
  /// Who it is there, as the backend writes it: a digest, whose length is bounded and which tells nobody who that is.
  public var subject: String
  /// Whose account it opens.
  public var user: String
  /// Since when.
  public var linkedAt: Timestamp

  /// A link.
  public init(issuer: String, subject: String, user: String, linkedAt: Timestamp) {
    self.issuer = issuer
    self.subject = subject
    self.user = user
    self.linkedAt = linkedAt
  }
}
