internal import Basics
internal import SecureMemory
public import Vault

// Nothing is written to the memory of the secret after `init`, so that threads may read it at once.

/// Seals the server's keys for the store, each as a vault of its own (docs/VAULT-FORMAT.md), and opens them. What opens them is
/// read once, at the start, and stays in guarded memory.
public final class Sealer: @unchecked Sendable {
  private let unlock: UnlockSecret

  /// Seals under a key file's bytes or a passphrase, which costs an Argon2id for each key.
  public init(_ unlock: UnlockSecret) { self.unlock = unlock }

  /// The sealed secret, bound to what it is for: 1 to 100 of `A-Z a-z 0-9 . _ -`.
  func seal(_ secret: borrowing SecureBytes, as purpose: String, at time: Timestamp) throws(Failure) -> [UInt8] {
    try SealedSecret.seal(secret, purpose: try Sealer.name(purpose), with: unlock, at: time)
  }

  /// The secret of that purpose. Throws what ``SealedSecret/open(_:purpose:with:)`` does.
  func open(_ sealed: [UInt8], as purpose: String) throws(Failure) -> SecureBytes {
    try SealedSecret.open(sealed, purpose: try Sealer.name(purpose), with: unlock)
  }

  // Part of it, a key's id, comes from the store.
  private static func name(_ purpose: String) throws(Failure) -> KeyName {
    do throws(Failure) { return try KeyName("mfs-authd." + purpose) } catch {
      throw Failure(
        .vaultTampered,
        "a key in the store has the id '\(OutsideText.clean(purpose, limit: 120))', which none gets here",
        hint: "restore the store from a copy")
    }
  }
}
