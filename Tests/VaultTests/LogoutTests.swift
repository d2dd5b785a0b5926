import Basics
import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite struct LogoutTests {
  private static let values = [
    "auth.sessionId": "a", "auth.plugin.demo.x": "b", "authx": "c", "AUTH.sessionId": "d", "auth": "e",
    "mfs.dbkey.main": "f\u{0}\n", "mfs.deviceId": "g", "mfs.dbkeys": "h",
  ]
  private static let kept = ["AUTH.sessionId", "auth", "authx", "mfs.dbkey.main", "mfs.dbkeys", "mfs.deviceId"]

  private func made() throws -> TestVault {
    let vault = try TestVault()
    try vault.create()
    try ProfileSettings(backend: .file).save(vault.request)
    for (name, value) in LogoutTests.values { try vault.set(name, value) }
    return vault
  }

  @Test func logoutRemovesExactlyTheCredentialsInOneChange() throws {
    let vault = try made()
    let before = try vault.store.open().contents()
    let report = try Logout().run(vault.store, isPinned: true)
    #expect(report.deleted.map(\.text) == ["auth.plugin.demo.x", "auth.sessionId"])
    #expect(report.kept.map(\.text) == LogoutTests.kept)
    #expect(report.generation == before.generation + 1)
    #expect(report.erase.level == "L0")
    let after = try vault.store.open().contents()
    #expect(after.names.map(\.text) == LogoutTests.kept)
    for name in after.names {
      let old = try #require(before[name]), new = try #require(after[name])
      #expect(old.value.equals(new.value) && old.updatedAt == new.updatedAt)
    }
    let again = try Logout().run(vault.store, isPinned: true)
    #expect(again.deleted.isEmpty && again.kept == report.kept && again.generation == report.generation)
  }

  @Test func aWipeKeepsTheSlots() throws {
    let vault = try made()
    let slots = try vault.store.status().slots
    let report = try Logout(wipe: true).run(vault.store, isPinned: true)
    #expect(report.wiped && !report.destroyed && report.deleted.count == 8 && report.kept.isEmpty)
    #expect(try vault.values().isEmpty)
    #expect(try vault.store.status().slots == slots)
    #expect(try Logout(wipe: true).run(vault.store, isPinned: true).deleted.isEmpty)
  }

  @Test func aDryRunSaysTheSameAndChangesNothing() throws {
    let vault = try made()
    let before = try vault.bytes()
    for wipe in [false, true] {
      // Even while somebody else writes: it takes no lock.
      let lock = open(vault.folder + "/default.lock", O_RDWR)
      #expect(flock(lock, LOCK_EX) == 0)
      let dry = try Logout(wipe: wipe, dryRun: true).run(vault.store, isPinned: true)
      close(lock)
      #expect(try vault.bytes() == before)
      let real = try Logout(wipe: wipe).run(vault.store, isPinned: true)
      #expect(dry.deleted == real.deleted && dry.kept == real.kept && dry.destroyed == real.destroyed)
      try vault.place(before)
    }
  }

  /// No key, a wrong key, a damaged file: a plain logout changes nothing and says why; a wipe removes the file.
  @Test func withoutAWorkingKeyOnlyAWipeDoesAnything() throws {
    let cases: [(FailureCode, (TestVault) throws -> TestVault)] = [
      (.vaultLocked, { TestVault($0, unlock: UnlockOptions()) }),
      (
        .vaultWrongKey,
        {
          try Data(count: 32).write(to: URL(fileURLWithPath: $0.keyFile))
          chmod($0.keyFile, 0o600)
          return $0
        }
      ),
      (
        .vaultDamaged,
        {
          try $0.place(Array(try $0.bytes().dropLast()))
          return $0
        }
      ),
      (
        .vaultTampered,
        {
          var bytes = try $0.bytes()
          bytes[bytes.count - 1] ^= 1
          try $0.place(bytes)
          return $0
        }
      ),
    ]
    for (expected, change) in cases {
      let vault = try change(try made())
      let before = try vault.bytes()
      // Without a terminal: the test runner may have one.
      let plain = try noTerminal(vault, ["logout"], expected)
      #expect(plain.status == expected.exit.rawValue, "\(expected.name): \(plain.errorText)")
      let dry = try noTerminal(vault, ["logout", "--wipe", "--dry-run", "--json"], expected)
      #expect(dry.status == 0 && dry.text.contains(#""destroyed":true"#))
      #expect(try vault.bytes() == before)
      let wipe = try noTerminal(vault, ["logout", "--wipe", "--json"], expected)
      #expect(wipe.status == 0 && wipe.text == dry.text, "\(wipe.errorText)")
      #expect(try vault.names() == ["default.lock"])
      let again = try noTerminal(vault, ["logout", "--wipe", "--json"], expected)
      #expect(again.status == 0 && again.text.contains(#""destroyed":false"#))
      #expect(try noTerminal(vault, ["logout"], expected).status == 0)
      // And the profile can have a vault again.
      #expect(try vault.mfsctl(["vault", "init"]).status == 0)
    }
  }

  private func noTerminal(_ vault: TestVault, _ command: [String], _ code: FailureCode) throws -> RunResult {
    let environment = code == .vaultLocked ? [:] : ["MFSCTL_VAULT_KEY_FILE": vault.keyFile]
    return try run(["mfsctl", "vault"] + command, in: vault.sandbox, environment: environment)
  }

  @Test func aProfileThatNeverHadAVaultIsNotLoggedOut() throws {
    let vault = try TestVault()
    #expect(code { _ = try Logout().run(vault.store, isPinned: false) } == .vaultNotInitialised)
    #expect(try vault.mfsctl(["vault", "logout", "--wipe"]).status == 20)
  }

  @Test func anotherGenerationIsNotTouched() throws {
    let vault = try made()
    let before = try vault.bytes()
    for dryRun in [false, true] {
      #expect(
        code { _ = try Logout(dryRun: dryRun, expectedGeneration: 3).run(vault.store, isPinned: true) }
          == .vaultRolledBack)
    }
    #expect(try vault.bytes() == before)
  }
}
