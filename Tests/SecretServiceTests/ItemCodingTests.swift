import Basics
import SecureMemory
import Testing
import Vault

@testable import SecretService

/// What other programs may put into an item: anything.
@Suite struct ItemCodingTests {
  private func bytes(of secret: borrowing SecureBytes) -> [UInt8] { unsafe secret.withBytes { unsafe Array($0) } }

  private func secret(_ bytes: [UInt8]) throws -> SecureBytes {
    let secret = try SecureBytes(count: bytes.count)
    unsafe secret.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
    return secret
  }

  private func item(_ bytes: [UInt8]) throws -> Item? { try Item(secret(bytes)) }

  private func sampleJournal() throws -> Journal {
    let metadata = Metadata(
      vaultID: SecureBox(try .random(count: 16)), madeAt: Timestamp(seconds: -5), generation: 1 << 40)
    let entry = VaultContents.Entry(value: try secret([1, 0, 255]), updatedAt: Timestamp(seconds: 1_700_000_000))
    let empty = VaultContents.Entry(value: try secret([]), updatedAt: Timestamp(seconds: 0))
    return Journal(
      kind: .change, metadata: metadata, removed: [try KeyName("auth.a"), try KeyName("auth.b")],
      set: [(try KeyName("mfs.dbkey.main"), entry), (try KeyName("x"), empty)])
  }

  @Test func anItemIsLaidOutAsDocumented() throws {
    let item = Item(
      key: "ab", generation: 0x0102, updatedAt: Timestamp(seconds: -1), value: SecureBox(try secret([7, 8])))
    let expected: [UInt8] =
      Array("MFSI".utf8) + [1, 2, 0x61, 0x62, 2, 1, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 8) + [7, 8]
    let encoded = bytes(of: try item.encoded())
    #expect(encoded == expected)
  }

  @Test func aJournalComesBackAsItWas() throws {
    let journal = try sampleJournal()
    let written = try #require(try item(bytes(of: journal.item().encoded())))
    let read = try #require(try Journal(written))
    #expect(read.kind == .change)
    #expect(read.metadata.generation == 1 << 40)
    #expect(read.metadata.madeAt == journal.metadata.madeAt)
    let isSameVault = read.metadata.vaultID.bytes.equals(journal.metadata.vaultID.bytes)
    #expect(isSameVault)
    #expect(read.removed == journal.removed)
    #expect(read.set.map(\.name) == journal.set.map(\.name))
    #expect(read.set.map(\.entry.updatedAt) == journal.set.map(\.entry.updatedAt))
    let areSameValues = zip(read.set, journal.set).allSatisfy { $0.entry.value.equals($1.entry.value) }
    #expect(areSameValues)
  }

  /// A torn journal was never complete; no length of one may pass for another change.
  @Test func aJournalCutAnywhereIsNone() throws {
    let item = try sampleJournal().item()
    let whole = bytes(of: item.value.bytes)
    for count in 0..<whole.count {
      let cut = Item(
        key: item.key, generation: item.generation, updatedAt: item.updatedAt,
        value: SecureBox(try secret(Array(whole[..<count]))))
      #expect(try Journal(cut) == nil, "\(count) of \(whole.count) bytes")
    }
    let longer = Item(
      key: item.key, generation: 1, updatedAt: item.updatedAt, value: SecureBox(try secret(whole + [0])))
    #expect(try Journal(longer) == nil)
  }

  @Test func anUnknownKindOfChangeAndALaterVersionAreRefusedNotDropped() throws {
    let item = try sampleJournal().item()
    var other = bytes(of: item.value.bytes)
    other[0] = 3
    let value = SecureBox(try secret(other))
    #expect(throws: Failure(.vaultNewerFormat, "")) {
      try Journal(Item(key: item.key, generation: 1, updatedAt: item.updatedAt, value: value))
    }
    var later = bytes(of: try item.encoded())
    later[4] = 2
    #expect(throws: Failure(.vaultNewerFormat, "")) { try self.item(later) }
  }

  @Test func anyByteMayBeAnything() throws {
    let whole = bytes(of: try sampleJournal().item().encoded())
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3_000 {
      var damaged = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      do {
        if let read = try item(damaged) { _ = try Journal(read) }
      } catch let failure as Failure {
        #expect(failure.code == .vaultNewerFormat)
      }
    }
  }
}
