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

  /// More exactly why, where that is known: what a replicator's error codes tell apart.
  public enum Cause: Hashable, Sendable {
    /// The name of the host has no address.
    case nameNotFound
    /// A system call failed with this `errno`.
    case system(Int32)
    /// The server hung up.
    case closed
    /// There was no agreement on how to speak TLS.
    case handshake
    /// What answers there does not speak TLS, such as a server of plain HTTP.
    case withoutTLS
    /// The server's certificate is for another host.
    case certificateForAnotherHost
    /// The server's certificate is not valid any more, or not yet.
    case certificateExpired
    /// The server's certificate was taken back.
    case certificateRevoked
    /// No authority that is trusted here has signed the server's certificate.
    case authorityUnknown
    /// The server's certificate does not hold for another reason.
    case certificateRefused
  }

  /// Why.
  public let kind: Kind
  /// More exactly why; nil when nothing more is known.
  public let cause: Cause?
  /// What happened, for people: where it was going and what went wrong, never what was sent.
  public let message: String

  /// A failure of a kind.
  public init(_ kind: Kind, _ message: String, cause: Cause? = nil) {
    self.kind = kind
    self.cause = cause
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
    case .trust where cause == .withoutTLS:
      Failure(
        .serverRefused, message,
        hint: "check the port, and whether the address is to begin with http:// or ws://, which is for this machine")
    case .trust:
      Failure(.serverRefused, message, hint: "check the server's certificate and the authorities trusted here")
    case .request: Failure(.configuration, message)
    case .cancelled: Failure(.cancelled, message)
    }
  }
}
