import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

/// Too little memory: an error of its own, which says nothing of the vault and destroys nothing.
@Suite struct MemoryTests {
  private func limited(_ vault: TestVault, kibibytes: Int, _ line: String) throws -> RunResult {
    try run(["sh", "-c", "ulimit -v \(kibibytes); exec mfsctl vault \(line)"], in: vault.sandbox)
  }

  @Test(arguments: [40_000, 60_000]) func aPassphraseThatCannotBeTriedDestroysNothing(kibibytes: Int) throws {
    let vault = try TestVault()
    try vault.sandbox.write("pass", "open sesame please\n", mode: 0o600)
    try vault.sandbox.write("wrong", "open barley please\n", mode: 0o600)
    #expect(try vault.mfsctl(["vault", "init", "--passphrase-file", "pass"]).status == 0)
    let before = try vault.bytes()
    for file in ["pass", "wrong"] {
      for command in ["list", "status", "logout", "logout --wipe --dry-run", "logout --wipe"] {
        let result = try limited(vault, kibibytes: kibibytes, "\(command) --passphrase-file \(file)")
        #expect(result.status == 41, "\(command): \(result.errorText)")
        #expect(result.errorText.contains("MiB of memory") && result.errorText.contains("ulimit -v"))
        #expect(try vault.bytes() == before)
      }
    }
    let json = try limited(vault, kibibytes: kibibytes, "list --json --passphrase-file pass")
    #expect(json.errorText.contains(#""code":"out-of-memory""#))
    // With room for it, the same command does what it says.
    #expect(try limited(vault, kibibytes: 400_000, "logout --wipe --passphrase-file pass").status == 0)
    #expect(try FileVaultStore(vault.request.locked).status().generation == 1)
  }

  /// A slot that could not be tried might be the one that opens, whatever is wrong with the others.
  @Test func aSlotThatCouldNotBeTriedCountsForMoreThanAHostileOne() throws {
    for slots in [
      [
        FormatWriter.Slot.passphrase("x", passes: 1_000, kibibytes: 8_192),
        .passphrase("y", passes: 1, kibibytes: 65_536),
      ],
      [.passphrase("y", passes: 1, kibibytes: 65_536), .passphrase("x", passes: 1_000, kibibytes: 8_192)],
    ] {
      let vault = try TestVault(file: FormatWriter(slots: slots, entries: []).file())
      try vault.sandbox.write("pass", "y", mode: 0o600)
      #expect(try limited(vault, kibibytes: 50_000, "logout --wipe --passphrase-file pass").status == 41)
      #expect(Files.exists(vault.file))
    }
  }

  /// Whatever memory there is, a large value is handled or refused, and the vault stays whole.
  @Test func aLargeValueNeverEndsTheProcess() throws {
    let vault = try TestVault()
    try vault.create()
    let value = Data((0..<15_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try value.write(to: URL(fileURLWithPath: vault.sandbox("value")))
    let options = "--uncatalogued --key-file key"
    let store = "set x --max-size 16000000 --from-file value \(options)"
    #expect(try limited(vault, kibibytes: 1_000_000, store).status == 0)
    var seen: Set<Int32> = []
    for kibibytes in [18_000, 25_000, 35_000, 45_000, 55_000, 75_000, 100_000] {
      for command in [
        "list --key-file key", "get x \(options)", "get x --json \(options)", store, "set y --from-fd 0 \(options)",
        "delete z \(options)", "logout --key-file key",
      ] {
        let result = try limited(vault, kibibytes: kibibytes, command)
        #expect([0, 41].contains(result.status), "\(kibibytes) KiB, \(command): \(result.status) \(result.errorText)")
        if command == "get x \(options)", result.status == 0 { #expect(result.output == value) }
        seen.insert(result.status)
      }
    }
    #expect(seen == [0, 41])
    #expect(try vault.values()["x"] == Array(value))
  }
}

extension SealedVault {
  /// A file in an array, as tests make them.
  init(_ file: [UInt8]) throws(Failure) { try self.init(ByteBlock(file)) }
}
