public import Basics

/// A profile's vault as a place: made, looked at, unlocked, removed. There is one implementation for each
/// ``BackendKind``; what is inside an unlocked one is a ``VaultBackend``.
public protocol VaultStore: AnyObject {
  /// Which kind of store this is.
  var kind: BackendKind { get }

  /// Makes an empty vault. Throws ``FailureCode/exists`` when there is one.
  func create(_ plan: VaultCreation) throws(Failure)

  /// What can be said of it; nobody is asked anything, and a key is only tried when one was named.
  func status() throws(Failure) -> VaultStatus

  /// Unlocks it. Throws ``FailureCode/vaultNotInitialised``, ``FailureCode/vaultLocked``,
  /// ``FailureCode/vaultWrongKey`` and whatever is wrong with the store.
  func open() throws(Failure) -> any VaultBackend

  /// Removes the vault with everything in it, without a key. Says whether there was one.
  func destroy() throws(Failure) -> Bool
}

/// What a new vault is made with. A store without slots of its own ignores it.
public struct VaultCreation {
  /// The label of the first slot.
  public let label: String
  /// The cost of a passphrase slot.
  public let kdf: PassphraseKDF
  /// Where the secret of the first slot comes from; asked only when the vault can be made.
  public let secret: () throws(Failure) -> UnlockSecret

  /// What a new vault is made with.
  public init(
    label: String = "", kdf: PassphraseKDF = .standard, secret: @escaping () throws(Failure) -> UnlockSecret
  ) {
    self.label = label
    self.kdf = kdf
    self.secret = secret
  }
}

/// What can be said of a vault from outside.
public struct VaultStatus: Sendable, Equatable {
  /// Whether there is one.
  public let initialised: Bool
  /// Whether it could not be opened without asking somebody.
  public let locked: Bool
  /// Its write counter; nil when there is no vault. Of a locked vault it is what the file says, not proved.
  public let generation: UInt64?
  /// The ways to unlock it; empty for a store without slots of its own.
  public let slots: [VaultSlot]
  /// The vault's file; nil for a store that is not one.
  public let file: String?

  /// What can be said of a vault.
  public init(initialised: Bool, locked: Bool, generation: UInt64?, slots: [VaultSlot] = [], file: String? = nil) {
    self.initialised = initialised
    self.locked = locked
    self.generation = generation
    self.slots = slots
    self.file = file
  }
}
