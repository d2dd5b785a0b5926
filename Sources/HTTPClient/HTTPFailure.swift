public import Basics

/// Why there is no response. Equal by kind, so that a test asks for the kind and not for the wording.
public struct HTTPFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The closed set of reasons.
  public enum Kind: Sendable, CaseIterable {
    /// The request itself cannot be sent: a header that breaks the grammar, a file of authorities that is missing.
    case request
    /// The server was not reached, or the connection broke: DNS, refused, reset, cut short.
    case network
    /// It took longer than allowed.
    case timeout
    /// The server did not prove who it is (TLS).
    case trust
    /// What came is not HTTP.
    case protocolViolation
    /// The answer is larger than allowed.
    case tooLarge
    /// Cancelled.
    case cancelled
  }

  /// Why.
  public let kind: Kind
  /// What happened, for people: where it was going and what went wrong, never what was sent.
  public let message: String

  /// A failure of a kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// Equal when the kinds are.
  public static func == (a: HTTPFailure, b: HTTPFailure) -> Bool { a.kind == b.kind }

  /// As the toolkit's own failure: trust problems are refusals for good, the rest is worth another try.
  public var failure: Failure {
    switch kind {
    case .network, .timeout, .protocolViolation, .tooLarge: Failure(.network, message, hint: "try again later")
    case .trust:
      Failure(.serverRefused, message, hint: "check the server's certificate and the authorities trusted here")
    case .request: Failure(.configuration, message)
    case .cancelled: Failure(.cancelled, message)
    }
  }
}
