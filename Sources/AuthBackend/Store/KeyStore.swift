public import Basics

/// Where the server's keys are kept: the part of an ``AuthStore`` that module BackendKeys needs. What the store's description says of its
/// calls holds for these.
public protocol KeyStore: Sendable {
  /// All keys of a purpose that are not removed, oldest first.
  func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey]
  /// Adds a key if `newest` is still the number of the newest one of its purpose (0 for none), and returns it with its number; nil
  /// when another process was first.
  func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey?
  /// Says when a key is retired and removed. Throws ``FailureCode/notFound``.
  func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure)
}
