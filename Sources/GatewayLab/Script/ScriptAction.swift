public import WebSocket

extension Script {
  /// What happens once, at a moment.
  public enum Action: Sendable, Equatable {
    /// The identity provider signs with a new key.
    case rotateKeys
    /// Every session at the gateway ends.
    case expireSessions
    /// Every sign-in at the identity provider ends: its tokens are dead.
    case endSignIns
    /// Every replication is closed with a code.
    case closeReplications(CloseCode)
    /// Every replication's connection is cut without a closing frame.
    case cutReplications

    /// All of them, the code being the usual one.
    public static let all: [Action] = [
      .rotateKeys, .expireSessions, .endSignIns, .closeReplications(.goingAway), .cutReplications,
    ]

    /// The word of a step's `do`.
    public var name: String {
      switch self {
      case .rotateKeys: "rotate-keys"
      case .expireSessions: "expire-sessions"
      case .endSignIns: "end-sign-ins"
      case .closeReplications: "close-replications"
      case .cutReplications: "cut-replications"
      }
    }

    /// One line for `lab scenario`.
    public var summary: String {
      switch self {
      case .rotateKeys: "the identity provider signs with a new key"
      case .expireSessions: "every session at the gateway ends"
      case .endSignIns: "every sign-in at the identity provider is revoked, its refresh and access tokens too"
      case .closeReplications: "every replication is closed with the step's code (default 1001)"
      case .cutReplications: "every replication's connection is cut"
      }
    }
  }
}
