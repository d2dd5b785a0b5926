public import Basics
public import SecureMemory

/// One secret sealed under a key file or a passphrase, for keeping where others can read and write: a whole vault of
/// docs/VAULT-FORMAT.md as bytes, with one slot and one entry whose name is what the secret is for. That name is
/// authenticated, so that a secret is not taken for one of another purpose.
public enum SealedSecret {
  /// The vault's bytes, about 470 for a secret of 32. Throws ``FailureCode/usage`` for a secret larger than a vault's value and
  /// ``FailureCode/outOfMemory``.
  public static func seal(
    _ secret: borrowing SecureBytes, purpose: KeyName, with unlock: UnlockSecret, at time: Timestamp = .now()
  ) throws(Failure) -> [UInt8] {
    let vaultID = try Cipher.randomBytes(VaultFormat.vaultIDSize)
    let masterKey = try MasterKey.random()
    let recipe = try VaultSlot.Recipe.fresh(id: 1, label: "", kdf: .standard, created: time)
    let slot = try VaultSlot.wrapping(masterKey, under: unlock, vaultID: vaultID, recipe: recipe)
    let header = VaultHeader(
      vaultID: vaultID, generation: 1, commitment: try masterKey.commitment(vaultID: vaultID),
      bodyNonce: try Cipher.randomBytes(Cipher.nonceSize), bodySize: 0, slots: [slot])
    let entry = VaultContents.Entry(value: try secret.copy(), updatedAt: time)
    let sealed = try SealedVault.seal([purpose: entry], header: header, masterKey: masterKey)
    return sealed.prefix(sealed.count)
  }

  /// The secret. Throws ``FailureCode/vaultWrongKey`` when it was sealed under another key, ``FailureCode/vaultTampered``
  /// when it was changed or is for another purpose, ``FailureCode/vaultDamaged`` when it is no vault,
  /// ``FailureCode/vaultNewerFormat`` and ``FailureCode/outOfMemory``.
  public static func open(
    _ sealed: [UInt8], purpose: KeyName, with unlock: UnlockSecret
  ) throws(Failure) -> SecureBytes {
    let contents: VaultContents
    do throws(Failure) {
      let vault = try SealedVault(try ByteBlock(sealed))
      contents = try vault.contents(try vault.masterKey(with: unlock))
    } catch { throw explained(error, purpose) }
    guard contents.names == [purpose], let entry = contents[purpose] else {
      throw Failure(
        .vaultTampered, "a sealed secret is not for \(purpose)",
        hint: "it stands in another one's place; restore it from a copy")
    }
    return try entry.value.copy()
  }

  // What the vault's own failures advise is about a profile's file.
  private static func explained(_ failure: Failure, _ purpose: KeyName) -> Failure {
    switch failure.code {
    case .vaultWrongKey:
      Failure(
        failure.code, "the key that was given does not open the sealed secret \(purpose)",
        hint: "it was sealed under another key file or passphrase")
    case .vaultTampered, .vaultDamaged:
      Failure(
        failure.code, "the sealed secret \(purpose) is damaged, or was changed by something that does not hold its key",
        hint: "restore it from a copy")
    default: failure
    }
  }
}
