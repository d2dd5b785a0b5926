internal import Basics
internal import CSodium
internal import SecureMemory

/// Argon2id (RFC 9106, version 1.3, one lane) and its cost. The parameters stand in the slot and are used from there.
public struct PassphraseKDF: Sendable, Equatable {
  /// Passes over the memory.
  public let operations: UInt32
  /// Memory in KiB.
  public let kibibytes: UInt32

  /// A cost; ``check()`` says whether it is acceptable.
  public init(operations: UInt32, kibibytes: UInt32) {
    self.operations = operations
    self.kibibytes = kibibytes
  }

  /// What new slots get: 3 passes over 64 MiB, about 90 ms.
  public static let standard = PassphraseKDF(operations: 3, kibibytes: 64 << 10)
  /// The costs that are accepted, in passes and KiB.
  static let acceptedOperations: ClosedRange<UInt32> = 1...64
  static let acceptedKibibytes: ClosedRange<UInt32> = (8 << 10)...(2 << 20)

  /// Refuses a cost that only a hostile or damaged file asks for, before anything is allocated. Throws
  /// ``FailureCode/vaultDamaged``.
  func check() throws(Failure) {
    guard PassphraseKDF.acceptedOperations.contains(operations),
      PassphraseKDF.acceptedKibibytes.contains(kibibytes)
    else {
      throw VaultFormat.damaged(
        "a passphrase slot asks for \(operations) passes over \(kibibytes) KiB; accepted are 1 to 64 over 8 MiB to 2 GiB"
      )
    }
  }

  /// 32 bytes from a passphrase. Throws ``FailureCode/vaultDamaged`` when the cost is refused, and
  /// ``FailureCode/outOfMemory`` when more memory is asked for than there is: that says nothing of the vault.
  func derive(from passphrase: borrowing SecureBytes, salt: [UInt8]) throws(Failure) -> SecureBytes {
    try check()
    let memory = UInt64(kibibytes) << 10
    // The work area is written in full: without this check a container would be killed instead of told.
    if let available = MemoryBudget.available(), memory >= available {
      throw Failure(
        .outOfMemory,
        "a passphrase slot asks for \(kibibytes >> 10) MiB of memory and \(available >> 20) MiB are free",
        hint: PassphraseKDF.memoryHint)
    }
    let key = try SecureBytes(count: Cipher.keySize)
    let size = UInt64(passphrase.count)
    let status = unsafe key.withPointer { key in
      unsafe passphrase.withBytes { passphrase in
        guard let start = unsafe passphrase.baseAddress?.assumingMemoryBound(to: CChar.self) else { return Int32(-1) }
        return unsafe crypto_pwhash(
          key, UInt64(Cipher.keySize), start, size, salt, UInt64(operations), Int(memory),
          crypto_pwhash_alg_argon2id13())
      }
    }
    guard status == 0 else {
      throw Failure(
        .outOfMemory, "a passphrase slot asks for \(kibibytes >> 10) MiB of memory, which this process cannot have",
        hint: PassphraseKDF.memoryHint)
    }
    return key
  }

  private static let memoryHint = "\(Failure.memoryHint), or unlock with a key file"
}
