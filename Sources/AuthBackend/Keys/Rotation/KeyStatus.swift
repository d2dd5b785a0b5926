public import BackendStore
public import Basics

/// A key of the server's as an administrator sees it.
public struct KeyStatus: Equatable, Sendable {
  /// Where in its life it is.
  public enum State: String, Sendable, CaseIterable {
    /// Published and not used yet.
    case pending
    /// What is new is made with it.
    case active
    /// Nothing new is made with it; what was made with it still counts.
    case retired
    /// It cannot be opened with the server's unlock key.
    case unreadable
  }

  /// Its number in the store.
  public let number: Int64
  /// What it is for.
  public let purpose: SealedKey.Purpose
  /// `kid`; empty for a pepper.
  public let keyID: String
  /// `alg`; empty for a pepper.
  public let algorithm: String
  /// Where in its life it is.
  public let state: State
  /// When it was made.
  public let createdAt: Timestamp
  /// From when on it is used.
  public let activeAt: Timestamp
  /// From when on nothing new is made with it.
  public let retiredAt: Timestamp?
  /// From when on it does not count any more.
  public let removedAt: Timestamp?

  init(_ row: SealedKey, _ state: State) {
    (number, purpose, keyID, algorithm) = (row.number, row.purpose, row.keyID, row.algorithm)
    (createdAt, activeAt, retiredAt, removedAt) = (row.createdAt, row.activeAt, row.retiredAt, row.removedAt)
    self.state = state
  }
}

/// Something that was done to a key, for the audit log. None of it is secret.
public struct KeyEvent: Equatable, Sendable {
  /// What was done.
  public enum Kind: String, Sendable, CaseIterable {
    /// It was made, for use from `at` on.
    case made
    /// Nothing new is made with it from `at` on.
    case retired
    /// It was taken out of use by hand, at `at`, and does not count any more.
    case withdrawn
  }

  /// What was done.
  public let kind: Kind
  /// What the key is for.
  public let purpose: SealedKey.Purpose
  /// Its number in the store.
  public let number: Int64
  /// `kid`; empty for a pepper.
  public let keyID: String
  /// From when on it holds.
  public let at: Timestamp

  init(_ kind: Kind, _ row: SealedKey, at: Timestamp) {
    (self.kind, purpose, number, keyID, self.at) = (kind, row.purpose, row.number, row.keyID, at)
  }
}
