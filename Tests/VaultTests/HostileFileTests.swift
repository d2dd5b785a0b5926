import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Files that are not as their writer left them: an error with its code, never a value that is wrong, never a trap.
@Suite struct HostileFileTests {
  private static let allowed: Set<FailureCode> = [.vaultWrongKey, .vaultDamaged, .vaultTampered, .vaultNewerFormat]
  private static let entries = [
    FormatWriter.Entry(name: "auth.sessionId", value: Array("secret".utf8)),
    FormatWriter.Entry(name: "mfs.dbkey.main", value: Array("key".utf8)),
  ]
  private static let keyFileVault = FormatWriter(
    slots: [.keyFile(FormatWriter.keyFile)], labels: ["label"], entries: entries)

  @Test func everyChangedBitIsNoticed() throws {
    let good = HostileFileTests.keyFileVault.file()
    let vault = try TestVault(file: good)
    #expect(try vault.values().count == 2)
    var seen: [FailureCode: Int] = [:]
    for bit in 0..<(good.count * 8) {
      var bad = good
      bad[bit / 8] ^= 1 << (bit % 8)
      try vault.place(bad)
      let code = try #require(code { _ = try vault.values() }, "bit \(bit) of the file changed nothing")
      #expect(HostileFileTests.allowed.contains(code), "bit \(bit) led to \(code.name)")
      seen[code, default: 0] += 1
      // Looking at it without a key neither traps nor changes anything.
      _ = try? FileVaultStore(vault.request.locked).status()
      #expect(try vault.bytes() == bad)
    }
    // Each code has its place: nothing passes by being lumped together.
    #expect(seen[.vaultNewerFormat] == 15)
    #expect(seen[.vaultTampered, default: 0] > 2_000)
    #expect(seen[.vaultWrongKey, default: 0] > 700)
    #expect(seen[.vaultDamaged, default: 0] > 150)
  }

  @Test func everyTruncationIsDamage() throws {
    let good = HostileFileTests.keyFileVault.file()
    let vault = try TestVault()
    for length in 0..<good.count {
      try vault.place(Array(good.prefix(length)))
      #expect(code { _ = try vault.values() } == .vaultDamaged, "\(length) bytes")
      #expect(code { _ = try FileVaultStore(vault.request.locked).status() } == .vaultDamaged, "\(length) bytes")
      #expect(code { try vault.set("auth.x", "y") } == .vaultDamaged, "\(length) bytes")
      #expect(try vault.bytes().count == length)
    }
  }

  @Test func whatIsAppendedIsDamage() throws {
    let good = HostileFileTests.keyFileVault.file()
    for extra in [[0], [UInt8](repeating: 0xFF, count: 4_096), good] {
      #expect(code { _ = try TestVault(file: good + extra).values() } == .vaultDamaged)
    }
  }

  @Test(
    arguments: [(0, 8_192), (65, 8_192), (.max, 8_192), (1, 0), (1, 8_191), (1, 2_097_153), (1, .max)]
      as [(UInt32, UInt32)])
  func hostileCostsAreRefusedBeforeTheyArePaid(passes: UInt32, kibibytes: UInt32) throws {
    let kdf = PassphraseKDF(operations: passes, kibibytes: kibibytes)
    #expect(throws: Failure(.vaultDamaged, "")) { try kdf.check() }
    #expect(throws: Failure(.vaultDamaged, "")) {
      _ = try kdf.derive(from: try box([1]).bytes, salt: [UInt8](repeating: 0, count: 16))
    }
  }

  /// The program says so too, at once, and a wipe is the way on.
  @Test(
    arguments: [(0, 8_192), (65, 8_192), (.max, .max), (1, 8_191), (1, 2_097_153), (64, .max)] as [(UInt32, UInt32)])
  func hostileCostsAreExit30(passes: UInt32, kibibytes: UInt32) throws {
    let slot = FormatWriter.Slot.passphrase(FormatWriter.passphrase, passes: passes, kibibytes: kibibytes)
    let file = FormatWriter(slots: [slot], entries: HostileFileTests.entries).file()
    let vault = try TestVault(file: file)
    try vault.sandbox.write("pass", FormatWriter.passphrase, mode: 0o600)
    let unlock = ["--passphrase-file", "pass"]
    for command in [["list"], ["get", "auth.sessionId"], ["set", "auth.sessionId"], ["logout"], ["status"]] {
      let start = Date()
      let result = try vault.mfsctl(["vault"] + command + unlock)
      #expect(result.status == 30 && result.output.isEmpty, "\(command): \(result.errorText)")
      #expect(result.errorText.contains("asks for \(passes) passes over \(kibibytes) KiB"), "\(result.errorText)")
      #expect(Date().timeIntervalSince(start) < 5, "\(command)")
    }
    #expect(try vault.bytes() == file)
    // Without a key, its status is what it says.
    #expect(try run(["mfsctl", "vault", "status"], in: vault.sandbox).status == 0)
    #expect(try vault.mfsctl(["vault", "logout", "--wipe"] + unlock).status == 0)
  }

  /// One hostile slot does not lock out the others, and alone it is named.
  @Test func aHostileSlotIsSkipped() throws {
    let hostile = FormatWriter.Slot.passphrase("x", passes: 1_000, kibibytes: 8_192)
    var writer = HostileFileTests.keyFileVault
    writer.slots = [hostile, .passphrase("right", passes: 1, kibibytes: 8_192)]
    let vault = try SealedVault(writer.file())
    _ = try vault.masterKey(with: .passphrase(try box(Array("right".utf8))))
    #expect(code { _ = try vault.masterKey(with: .passphrase(try box(Array("wrong".utf8)))) } == .vaultDamaged)
  }

  @Test func aNewerVersionIsNamed() throws {
    for version: UInt16 in [2, 256, .max] {
      var writer = HostileFileTests.keyFileVault
      writer.version = version
      #expect(code { _ = try TestVault(file: writer.file()).values() } == .vaultNewerFormat)
      // Even when nothing else of it is as it was.
      #expect(code { _ = try TestVault(file: Array(writer.file().prefix(10))).values() } == .vaultNewerFormat)
    }
    var writer = HostileFileTests.keyFileVault
    writer.entries[0].flags = 1
    #expect(code { _ = try TestVault(file: writer.file()).values() } == .vaultNewerFormat)
  }

  /// A holder of the key who writes nonsense gets an error too.
  @Test func nonsenseUnderTheRightKeyIsDamage() throws {
    func outcome(_ change: (inout FormatWriter) -> Void) -> FailureCode? {
      var writer = HostileFileTests.keyFileVault
      change(&writer)
      return code { _ = try TestVault(file: writer.file()).values() }
    }
    #expect(outcome { $0.entries.reverse() } == .vaultDamaged)
    #expect(outcome { $0.entries = [$0.entries[0], $0.entries[0]] } == .vaultDamaged)
    #expect(outcome { $0.entries[0].name = "auth/../x" } == .vaultDamaged)
    #expect(outcome { $0.entries[0].name = "" } == .vaultDamaged)
    #expect(outcome { $0.entries[0].value = [UInt8](repeating: 1, count: 16 << 20) } == nil)
    #expect(outcome { $0.entries[0].value = [UInt8](repeating: 1, count: (16 << 20) + 1) } == .vaultDamaged)
    #expect(outcome { $0.plaintext = [] } == .vaultDamaged)
    #expect(outcome { $0.plaintext = [0, 0, 0, 0, 1] } == .vaultDamaged)
    #expect(outcome { $0.plaintext = [255, 255, 255, 255] } == .vaultDamaged)
    #expect(
      outcome { $0.plaintext = [1, 0, 0, 0, 1, 0, 255, 255, 255, 255] + [UInt8](repeating: 0, count: 99) }
        == .vaultDamaged)
    #expect(outcome { $0.commitment = [UInt8](repeating: 0, count: 32) } == .vaultTampered)
    #expect(outcome { $0.slots = [] } == .vaultDamaged)
    #expect(outcome { $0.slots = Array(repeating: .raw(type: 9, [1]), count: 33) } == .vaultDamaged)
    #expect(outcome { $0.slots += Array(repeating: .raw(type: 9, [1]), count: 31) } == nil)
    #expect(outcome { $0.slots = [.raw(type: 9, [])] } == .vaultWrongKey)
    #expect(outcome { $0.slots = [.raw(type: 1, [1, 2, 3])] } == .vaultDamaged)
    #expect(outcome { $0.slots = [.raw(type: 2, [])] } == .vaultDamaged)
    #expect(outcome { $0.slots += [.raw(type: 9, [UInt8](repeating: 0, count: 3_000))] } == .vaultDamaged)
  }

  @Test func aWholeFileTooBigIsDamage() throws {
    let vault = try TestVault(file: [])
    #expect(truncate(vault.file, off_t(VaultFormat.maximumFileSize + 1)) == 0)
    #expect(code { _ = try vault.values() } == .vaultDamaged)
  }

  @Test func theWrongKeyIsNamed() throws {
    let vault = try TestVault(file: HostileFileTests.keyFileVault.file())
    try Data([UInt8](repeating: 1, count: 32)).write(to: URL(fileURLWithPath: vault.keyFile))
    chmod(vault.keyFile, 0o600)
    #expect(code { _ = try vault.values() } == .vaultWrongKey)
  }
}
