import Basics
import Testing

@testable import Vault

/// Every bit of a vault with a passphrase slot, and of one with a slot of each kind. Each try of a passphrase costs
/// Argon2id, so the files are changed in memory and the cost is the lowest that is legal. HostileFileTests changes every bit
/// of a key file's vault where it stands, on disk.
@Suite struct ChangedBitTests {
  private static let entries = [
    FormatWriter.Entry(name: "auth.sessionId", value: Array("secret".utf8)),
    FormatWriter.Entry(name: "mfs.dbkey.main", value: Array("key".utf8)),
  ]
  private static let passphraseSlot = FormatWriter.Slot.passphrase(FormatWriter.passphrase, passes: 1, kibibytes: 8_192)
  private static let both = FormatWriter(
    slots: [passphraseSlot, .keyFile(FormatWriter.keyFile)], labels: ["", "label"], entries: entries)

  private static func passphrase() throws -> UnlockSecret {
    .passphrase(try box(Array(FormatWriter.passphrase.utf8)))
  }

  /// What comes of opening a file with a bit changed; nil when its values come out.
  private func outcome(_ good: [UInt8], bit: Int, _ open: ([UInt8]) throws -> Void) -> FailureCode? {
    var bad = good
    bad[bit / 8] ^= 1 << (bit % 8)
    return code { try open(bad) }
  }

  private func contents(_ file: [UInt8], _ secret: UnlockSecret) throws {
    let sealed = try SealedVault(file)
    _ = try sealed.contents(try sealed.masterKey(with: secret))
  }

  /// The fields of the clear header of a vault with one passphrase slot without a label, each with what a change of it
  /// is taken for.
  private static let fields: [(name: String, size: Int, codes: Set<FailureCode>)] = [
    ("magic", 8, [.vaultDamaged]), ("version", 2, [.vaultNewerFormat, .vaultDamaged]), ("slots", 2, [.vaultDamaged]),
    ("header size", 4, [.vaultDamaged]), ("generation", 8, [.vaultTampered]), ("vault id", 16, [.vaultWrongKey]),
    ("commitment", 32, [.vaultTampered]), ("nonce", 24, [.vaultTampered]), ("body size", 8, [.vaultDamaged]),
    // Of another type there is no slot that a passphrase opens, or one whose size is wrong.
    ("slot type", 2, [.vaultWrongKey, .vaultDamaged]), ("slot id", 2, [.vaultWrongKey, .vaultDamaged]),
    ("slot size", 4, [.vaultDamaged]), ("created", 8, [.vaultWrongKey, .vaultDamaged]),
    ("label size", 2, [.vaultDamaged]),
    ("passes", 4, [.vaultWrongKey, .vaultDamaged]), ("memory", 4, [.vaultWrongKey, .vaultDamaged, .outOfMemory]),
    ("salt", 16, [.vaultWrongKey]), ("slot nonce", 24, [.vaultWrongKey]), ("wrapped key", 48, [.vaultWrongKey]),
  ]

  @Test func everyChangedBitOfAPassphraseVaultIsNoticed() throws {
    let good = FormatWriter(slots: [ChangedBitTests.passphraseSlot], entries: ChangedBitTests.entries).file()
    let secret = try ChangedBitTests.passphrase()
    try contents(good, secret)
    var offset = 0
    for field in ChangedBitTests.fields {
      for bit in 0..<(field.size * 8) {
        let code = outcome(good, bit: offset * 8 + bit) { try contents($0, secret) }
        let place: Comment = "\(field.name), bit \(bit): \(code.map(\.name) ?? "opened")"
        #expect(code.map { field.codes.contains($0) } == true, place)
        switch (field.name, bit) {
        // A cost beyond the limits is never tried: no passes or more than 64, less than 8 MiB or more than 2 GiB.
        case ("passes", 0), ("passes", 6...), ("memory", 13), ("memory", 21...): #expect(code == .vaultDamaged, place)
        // Within them it is paid, if the machine can; then the key is another one.
        case ("passes", _): #expect(code == .vaultWrongKey, place)
        case ("memory", ..<20): #expect(code == .vaultWrongKey, place)
        default: break
        }
      }
      offset += field.size
    }
    let header = try SealedVault(good)
    #expect(offset == 218 && header.header.slots.count == 1)
    // The key hangs on the header alone, which is as it was for each bit of the body: it is derived once.
    let key = try header.masterKey(with: secret)
    for bit in (offset * 8)..<(good.count * 8) {
      #expect(outcome(good, bit: bit) { _ = try SealedVault($0).contents(key) } == .vaultTampered, "bit \(bit)")
    }
  }

  /// A change is noticed whichever slot opens the vault, and wherever the change is: also in the slot that is not used.
  @Test func everyChangedBitBesideTheSlotInUseIsNoticed() throws {
    let good = ChangedBitTests.both.file()
    let keyFile = UnlockSecret.keyFile(try box(FormatWriter.keyFile))
    try contents(good, keyFile)
    try contents(good, try ChangedBitTests.passphrase())
    let passphraseSlot = VaultFormat.fixedHeaderSize..<(VaultFormat.fixedHeaderSize + 114)
    var seen: [FailureCode: Int] = [:]
    for bit in 0..<(good.count * 8) {
      let code = outcome(good, bit: bit) { try contents($0, keyFile) }
      #expect(
        [.vaultWrongKey, .vaultDamaged, .vaultTampered, .vaultNewerFormat].contains(code), "bit \(bit): \(code as Any)")
      if let code { seen[code, default: 0] += 1 }
      // The other slot's cost, salt and wrapped key are authenticated by the body.
      if passphraseSlot.dropFirst(18).contains(bit / 8) { #expect(code == .vaultTampered, "bit \(bit)") }
    }
    #expect(seen[.vaultNewerFormat] == 15 && seen[.vaultWrongKey, default: 0] > 700)
    #expect(seen[.vaultTampered, default: 0] > 3_000 && seen[.vaultDamaged, default: 0] > 150)
    // By the passphrase, a bit of each byte of the key file's slot: the route is the same for all of them.
    let secret = try ChangedBitTests.passphrase()
    for byte in passphraseSlot.upperBound..<(passphraseSlot.upperBound + 95) {
      let code = outcome(good, bit: byte * 8 + byte % 8) { try contents($0, secret) }
      #expect([.vaultDamaged, .vaultTampered].contains(code), "byte \(byte): \(code as Any)")
    }
  }
}
