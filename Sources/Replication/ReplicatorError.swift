public import HTTPClient
internal import Glibc
public import WebSocket

/// Why a replicator is not connected, in LiteCore's numbers.
public struct ReplicatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whose numbers they are.
  public enum Domain: Int, Sendable {
    /// `errno`.
    case posix = 2
    /// LiteCore's network errors.
    case network = 5
    /// HTTP statuses and WebSocket close codes.
    case webSocket = 6
  }

  /// What a replicator does about it.
  public enum Disposition: String, Sendable, CaseIterable {
    /// It tries again, one-shot or continuous.
    case transient
    /// A continuous one waits until the network has changed; a one-shot one stops.
    case networkDependent = "network-dependent"
    /// It stops.
    case permanent
  }

  /// Whose number ``code`` is.
  public let domain: Domain
  /// The number within the domain.
  public let code: Int
  /// What the other side said, or what happened.
  public let message: String

  /// An error of a domain.
  public init(_ domain: Domain, _ code: Int, _ message: String) {
    self.domain = domain
    self.code = code
    self.message = message
  }

  /// The number that Couchbase Lite's SDKs show: 10000 and an HTTP status or close code, 5000 and a network error; an `errno`
  /// as it is.
  public var sdkCode: Int {
    switch domain {
    case .posix: code
    case .network: 5_000 + code
    case .webSocket: 10_000 + code
    }
  }

  /// What a replicator does about it, by LiteCore's own lists. 500, 501 and 520 to 526 are in none: it stops.
  public var disposition: Disposition {
    switch (domain, code) {
    case (.webSocket, 408), (.webSocket, 429), (.webSocket, 502...504), (.webSocket, 1_006), (.webSocket, 4_001),
      (.network, 1), (.network, 3), (.network, 16...19):
      .transient
    case (.network, 2), (.network, 20...27): .networkDependent
    case (.posix, let number): ReplicatorError.disposition(ofSystem: Int32(clamping: number))
    default: .permanent
    }
  }

  private static func disposition(ofSystem number: Int32) -> Disposition {
    switch number {
    case ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED: .transient
    case ENETDOWN, ENETUNREACH, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL, EPIPE: .networkDependent
    default: .permanent
    }
  }

  /// Whether it passes, although the replicator stops at it: a 5xx, 425, and a gateway that is going down (1001). Whoever runs
  /// the replicator has to start it again.
  public var needsRestart: Bool {
    guard domain == .webSocket, disposition == .permanent else { return false }
    return (500...599).contains(code) || code == 425 || code == 1_001
  }

  /// Code and message.
  public var description: String { "\(sdkCode): \(message)" }
}

extension ReplicatorError {
  /// LiteCore's number for a connection that did not come about or broke; nil for one that was cancelled here.
  public init?(_ failure: HTTPFailure) {
    func network(_ code: Int) -> ReplicatorError { ReplicatorError(.network, code, failure.message) }
    switch (failure.kind, failure.cause) {
    case (.cancelled, _): return nil
    case (_, .system(let number)?):
      guard let code = ReplicatorError.networkCode(ofSystem: number) else {
        self.init(.posix, Int(number), failure.message)
        return
      }
      self = network(code)
    case (_, .nameNotFound?): self = network(2)
    case (.timeout, _): self = network(3)
    case (.request, _): self = network(4)
    case (_, .handshake?), (_, .withoutTLS?): self = network(6)
    case (_, .certificateExpired?): self = network(7)
    case (_, .certificateRefused?): self = network(8)
    case (_, .authorityUnknown?): self = network(11)
    case (_, .certificateRevoked?): self = network(14)
    case (_, .certificateForAnotherHost?): self = network(15)
    case (.trust, _): self = network(6)
    case (.protocolViolation, _), (.tooLarge, _): self.init(.webSocket, 400, failure.message)
    case (.network, _): self = network(18)
    }
  }

  private static func networkCode(ofSystem number: Int32) -> Int? {
    switch number {
    case ETIMEDOUT: 3
    case ENETRESET: 16
    case ECONNABORTED: 17
    case ECONNRESET: 18
    case ECONNREFUSED: 19
    case ENETDOWN: 20
    case ENETUNREACH: 21
    case ENOTCONN: 22
    case EHOSTDOWN: 23
    case EHOSTUNREACH: 24
    case EADDRNOTAVAIL: 25
    case EPIPE: 26
    default: nil
    }
  }

  /// LiteCore's number for a closed WebSocket; nil for one that was closed as agreed (1000).
  public init?(closed code: CloseCode, reason: String) {
    guard code != .normal else { return nil }
    self.init(.webSocket, Int(code.rawValue), reason.isEmpty ? "the WebSocket was closed (\(code))" : reason)
  }
}
