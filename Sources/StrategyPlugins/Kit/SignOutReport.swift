/// A strategy that says of each server what came of telling it that the session ends.
public protocol ReportingStrategy: Strategy {
  /// Tells the servers, each whatever came of the others. A session that is gone already is reached. Throws only what is
  /// no server's doing.
  func signOut(_ call: Call, _ host: Host) throws(StrategyError) -> SignOutReport
}

/// Whom a sign-out reached.
public struct SignOutReport: Hashable, Sendable {
  /// What came of one part of it.
  public enum Outcome: String, Sendable, CaseIterable {
    /// Whom it is about knows.
    case reached
    /// They refused.
    case refused
    /// They could not be reached, or had trouble of their own.
    case unreachable
    /// They have no way to be told.
    case notOffered = "not-offered"
    /// It could not be done here, such as to open a page without a browser.
    case skipped
    /// There was nothing to end.
    case nothing
  }

  /// One part of a sign-out.
  public struct Step: Hashable, Sendable {
    /// What came of it.
    public let outcome: Outcome
    /// Why; nil when there is nothing to say.
    public let message: String?

    /// A part.
    public init(_ outcome: Outcome, _ message: String? = nil) {
      self.outcome = outcome
      self.message = message
    }

    /// A part that failed. Throws the error when it is no server's doing.
    public init(_ error: StrategyError) throws(StrategyError) {
      switch error.reason {
      case .network, .server, .protocolViolation: self.init(.unreachable, error.message)
      case .refused, .badCredentials, .interactionNeeded: self.init(.refused, error.message)
      case .badSettings, .cancelled, .denied, .internal: throw error
      }
    }
  }

  /// The gateway's session.
  public var gateway = Step(.nothing)
  /// The refresh token's revocation at the identity provider.
  public var revocation = Step(.nothing)
  /// The identity provider's own session, in the browser.
  public var endSession = Step(.nothing)

  /// Nothing to end anywhere.
  public init() {}
}
