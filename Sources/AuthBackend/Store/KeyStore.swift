public import Basics

/// Where the server's keys are kept: the part of an ``AuthStore`` that module BackendKeys needs. What the store's description says of its
/// calls holds for these.
public protocol KeyStore: Sendable {
  /// All keys of a purpose, oldest first; those that are removed may be among them.
  func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey]
  /// Adds a key if `newest` is still the number of the purpose's newest one (0 for none), and returns it with its number; nil when
  /// another process was first. Numbers rise and are never used again.
  func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey?
  /// Says when a key is retired and removed. Neither is put off by this: of what was said before and what is said now the sooner counts, so
  /// that who read the key before it was taken out of use does not bring it back. False when nothing changed. Throws
  /// ``FailureCode/notFound``.
  @discardableResult
  func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure) -> Bool
  /// Takes a key out of use by hand: it is retired and removed at that moment, unless it was before. False when nothing changed. Throws
  /// ``FailureCode/notFound``.
  @discardableResult
  func withdraw(_ number: Int64, at moment: Timestamp) throws(Failure) -> Bool
}

extension KeyStore {
  /// Retires and removes it at once, for a store that tells nobody why.
  @discardableResult
  public func withdraw(_ number: Int64, at moment: Timestamp) throws(Failure) -> Bool {
    try retire(number, retiredAt: moment, removedAt: moment)
  }
}
