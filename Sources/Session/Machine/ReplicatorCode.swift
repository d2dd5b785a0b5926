internal import Replication

/// An error code of a replicator: an HTTP status (`401`), or Couchbase Lite's own numbers, which are 10000 and the HTTP
/// status or WebSocket close code, or 5000 and a network error.
public struct ReplicatorCode: Hashable, Sendable, CustomStringConvertible {
  /// The number as it was reported.
  public let number: Int

  /// A code as it was reported.
  public init(_ number: Int) { self.number = number }

  /// What a code says.
  public enum Meaning: Hashable, Sendable {
    /// The credential is not accepted. A replicator stops at it and does not try again by itself.
    case credentialRejected
    /// The network or the server has trouble that passes.
    case passing
    /// Something else, which a new credential does not cure.
    case other
  }

  /// The HTTP status in the code; nil when it is none.
  public var status: Int? {
    let status = number >= 10_000 ? number - 10_000 : number
    return (100...599).contains(status) ? status : nil
  }

  /// What the code says. 401 and 404 (10401, 10404) are what the app treats as a rejected credential; 408, 425, 429
  /// and 5xx pass, as do the network errors and close codes after which Couchbase Lite tries again.
  public var meaning: Meaning {
    if let status {
      switch status {
      case 401, 404: return .credentialRejected
      case 408, 425, 429, 500...599: return .passing
      default: return .other
      }
    }
    switch number {
    case 5001...5003, 5016...5027, 11001, 11006, 14001: return .passing
    default: return .other
    }
  }

  /// Whether the replicator has stopped at it although it passes: whoever runs it has to start it again.
  public var stopsAlthoughItPasses: Bool {
    guard let code = number >= 10_000 ? number - 10_000 : status else { return false }
    return ReplicatorError(.webSocket, code, "").needsRestart
  }

  /// The number.
  public var description: String { String(number) }
}
