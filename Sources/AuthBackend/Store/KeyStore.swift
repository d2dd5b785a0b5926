public import Basics

/// Where the server's keys are kept: the part of an ``AuthStore`` that module BackendKeys needs. What the store's description says of its
/// calls holds for these.
public protocol KeyStore: Sendable {
  /// All keys of a purpose, oldest first; those that are removed may be among them.
  func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey]
  /// Adds a key if `newest` is still the number of the purpose's newest one (0 for none), and returns it with its number; nil when
  /// another process was first. Numbers rise and are never used again.
  func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey?
  /// Says when a key is retired and removed. Throws ``FailureCode/notFound``.
  func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure)
}
