import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

private let folder = Programs.checkout + "/Tests/VaultTests/Golden"

private func golden(_ name: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
}

/// Files that were written once and must be readable for ever.
@Suite struct GoldenTests {
  @Test(arguments: FormatWriter.golden.keys.sorted()) func aGoldenFileReads(name: String) throws {
    var vault = try TestVault(file: try golden(name))
    if name.hasPrefix("passphrase") {
      try vault.sandbox.write("pass", FormatWriter.passphrase + "\n", mode: 0o600)
      var unlock = UnlockOptions()
      unlock.passphraseFile = vault.sandbox("pass")
      vault = TestVault(vault, unlock: unlock)
    }
    let writer = try #require(FormatWriter.golden[name])
    let contents = try vault.store.open().contents()
    #expect(contents.generation == writer.generation)
    #expect(contents.names.map(\.text) == writer.entries.map(\.name))
    for entry in writer.entries {
      let read = try #require(contents[try KeyName(entry.name)])
      #expect(read.value.withBytes { Array($0) } == entry.value)
      #expect(read.updatedAt.seconds == entry.time)
    }
  }

  /// The committed files are what the second implementation makes: no byte of them depends on the product.
  @Test(arguments: FormatWriter.golden.keys.sorted()) func aGoldenFileIsWhatTheDocumentSays(name: String) throws {
    let made = try #require(FormatWriter.golden[name]).file()
    // For a new format version only: what is committed is never made again.
    if ProcessInfo.processInfo.environment["MFSCTL_WRITE_GOLDEN"] != nil, !Files.exists("\(folder)/\(name)") {
      try Data(made).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    #expect(try golden(name) == made)
  }

  @Test func everyCommittedFileIsTested() throws {
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == Set(FormatWriter.golden.keys))
  }

  @Test func theProductWritesTheSameBytes() throws {
    for (name, writer) in FormatWriter.golden where !name.hasPrefix("three") {
      let sealed = try SealedVault(try golden(name))
      let secret: UnlockSecret =
        name.hasPrefix("passphrase")
        ? .passphrase(try box(Array(FormatWriter.passphrase.utf8))) : .keyFile(try box(FormatWriter.keyFile))
      let key = try sealed.masterKey(with: secret)
      let entries = try sealed.contents(key).entries
      let file = try SealedVault.seal(entries, header: sealed.header, masterKey: key)
      #expect(file.prefix(file.count) == (try golden(name)))
      let slot = try #require(sealed.header.slots.first)
      var kdf = PassphraseKDF.standard
      if case .passphrase(let own, _) = slot.kind { kdf = own }
      let again = try VaultSlot.wrapping(
        key, under: secret, vaultID: sealed.header.vaultID,
        recipe: .init(
          id: 1, label: slot.label, created: slot.created, kdf: kdf, salt: [UInt8](repeating: 0x51, count: 16),
          nonce: [UInt8](repeating: 0xA1, count: 24)))
      #expect(again == slot)
      #expect(writer.file().count == (try golden(name)).count)
    }
  }

  /// A slot of a type that this version does not know is kept bit for bit through a change, and so are the others.
  @Test func slotsAreKeptThroughAChange() throws {
    let vault = try TestVault(file: try golden("three-slots-v1.mfsv"))
    let before = try vault.store.status()
    #expect(before.slots.map(\.typeName) == ["unknown-77", "passphrase", "keyfile"])
    #expect(before.slots.map(\.label) == ["from the future", "Büro", ""])
    try vault.set("auth.new", "x")
    #expect(try vault.store.status().slots == before.slots)
    #expect(try vault.values()["auth.new"] == [0x78])
    #expect(try vault.store.status().generation == 4_294_967_297)
  }
}
