public import Basics

/// Where a profile's vault is kept. Pinned when the vault is made; nothing ever falls back from one to another.
public enum BackendKind: String, Sendable, CaseIterable {
  /// One sealed file (docs/VAULT-FORMAT.md).
  case file
  /// The desktop's Secret Service, through libsecret.
  case secretService = "secret-service"
}

/// A store of named secrets, already unlocked. `VaultConformance` is the suite that every implementation passes.
///
/// Reading takes no lock and changes nothing a caller could see. A change is all or nothing: after a crash at any point
/// the store holds the old contents or the new, or finishes the change when it is next opened.
public protocol VaultBackend: AnyObject {
  /// Which kind of store this is.
  var kind: BackendKind { get }

  /// Everything in the vault as it is now. Throws what went wrong with the store: ``FailureCode/vaultLocked``,
  /// ``FailureCode/vaultBackendUnavailable``, ``FailureCode/vaultTampered`` and so on.
  func contents() throws(Failure) -> VaultContents

  /// Changes the vault. Takes the lock, reads, hands the contents to `edit`, and commits what it changed in one step;
  /// when it changed nothing, or throws, nothing is written. Returns the generation that holds the result.
  ///
  /// `expectedGeneration` makes it fail with ``FailureCode/vaultRolledBack`` when the vault is at another one.
  @discardableResult
  func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64
}

extension VaultBackend {
  /// Changes the vault whatever its generation is.
  @discardableResult
  public func update(_ edit: (VaultContents) throws(Failure) -> Void) throws(Failure) -> UInt64 {
    try update(expectedGeneration: nil, edit)
  }
}
