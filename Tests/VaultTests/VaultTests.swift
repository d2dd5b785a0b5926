import Basics
import Foundation
import SecureMemory
import Testing
import VaultConformance

@testable import Vault

@Suite struct FileVaultTests {
  @Test func theFileKeepsWhatEveryBackendPromises() throws {
    let vault = try TestVault()
    let suite = VaultConformance(
      reset: { () throws(Failure) in
        _ = try vault.store.destroy()
        let request = vault.request
        try vault.store.create(
          VaultCreation { () throws(Failure) in try request.unlock.newSecret(environment: Environment([:])) })
      },
      open: { () throws(Failure) in try vault.store.open() })
    for violation in suite.run() { Issue.record("\(violation)") }
  }

  @Test func valuesOfEverySizeComeBack() throws {
    let vault = try TestVault()
    try vault.create()
    let sizes = [0, 1, 23, 255, 256, 257, 4_095, 65_536, 1 << 20, 3_000_001]
    try vault.store.open().update { contents throws(Failure) in
      for size in sizes { contents.set(try KeyName("v.\(size)"), try SecureBytes(count: size)) }
    }
    let values = try vault.values()
    for size in sizes { #expect(values["v.\(size)"]?.count == size) }
  }

  @Test func sizesTellLittle() {
    #expect(VaultFormat.paddedSize(4) == 256)
    #expect(VaultFormat.paddedSize(256) == 256)
    #expect(VaultFormat.paddedSize(257) == 512)
    for size in stride(from: 1, to: 5_000_000, by: 997) {
      let padded = VaultFormat.paddedSize(size)
      #expect(padded >= size && padded % 256 == 0)
      #expect(size < 2_048 || padded - size <= size / 8, "\(size)")
    }
  }

  @Test func limitsAreCheckedBeforeAnythingIsWritten() throws {
    let vault = try TestVault()
    try vault.create()
    let before = try vault.bytes()
    #expect(
      code {
        try vault.store.open().update { contents throws(Failure) in
          contents.set(try KeyName("big"), try SecureBytes(count: VaultFormat.maximumValueSize + 1))
        }
      } == .usage)
    #expect(
      code {
        try vault.store.open().update { contents throws(Failure) in
          for index in 0...VaultFormat.maximumEntries {
            contents.set(try KeyName("n.\(index)"), try SecureBytes(count: 0))
          }
        }
      } == .usage)
    #expect(try vault.bytes() == before)
  }

  /// The same contents never make the same bytes twice: each write has a nonce of its own.
  @Test func everyWriteHasItsOwnNonce() throws {
    let vault = try TestVault()
    try vault.create()
    var nonces: Set<[UInt8]> = []
    for _ in 0..<20 {
      try vault.set("auth.x", "same")
      nonces.insert(try SealedVault(try vault.bytes()).header.bodyNonce)
    }
    #expect(nonces.count == 20)
  }

  /// A vault that was made anew, or whose keys changed, while an instance was open is opened by its own slots.
  @Test func anOpenInstanceFollowsAReplacedFile() throws {
    let vault = try TestVault()
    try vault.create()
    let open = try vault.store.open()
    _ = try vault.store.destroy()
    #expect(throws: Failure(.vaultNotInitialised, "")) { try open.contents() }
    try vault.create()
    try vault.set("auth.x", "new")
    #expect(try open.contents().names.map(\.text) == ["auth.x"])
  }

  @Test func staleTemporariesGoAndOthersStay() throws {
    let vault = try TestVault()
    try vault.create()
    let stale = ".default.mfsv.0123456789abcdef.tmp"
    let others = [
      ".default.mfsv.fedcba9876543210.tmp", ".other.mfsv.0123456789abcdef.tmp", ".default.mfsv.short.tmp", "notes.txt",
    ]
    for name in [stale] + others { try vault.sandbox.write("home/data/vault/\(name)", "", mode: 0o600) }
    let old = Date(timeIntervalSinceNow: -7_200)
    for name in [stale] + others.dropFirst() {
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: "\(vault.folder)/\(name)")
    }
    try vault.set("auth.x", "y")
    #expect(try vault.names() == (others + ["default.lock", "default.mfsv"]).sorted())
    // A vault that is removed takes all of its own with it.
    #expect(try vault.store.destroy())
    #expect(try vault.names() == (others.dropFirst() + ["default.lock"]).sorted())
  }

  /// What a killed writer left a moment ago may hold what a logout removes, under the same key.
  @Test func aChangeThatRemovesLeavesNoUnfinishedCopy() throws {
    let vault = try TestVault()
    try vault.create()
    try vault.set("auth.x", "y")
    try vault.sandbox.write("home/data/vault/.default.mfsv.0123456789abcdef.tmp", "", mode: 0o600)
    #expect(try Logout().run(vault.store, isPinned: true).deleted.count == 1)
    #expect(try vault.names() == ["default.lock", "default.mfsv"])
  }

  @Test func aLockHeldByAnotherEndsInATimeout() throws {
    let vault = try TestVault(lockTimeout: 1)
    try vault.create()
    let lock = open(vault.folder + "/default.lock", O_RDWR)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    #expect(code { try vault.set("auth.x", "y") } == .lockTimeout)
    // Readers do not care.
    #expect(try vault.values().isEmpty)
    #expect(try vault.mfsctl(["vault", "logout", "--dry-run"]).status == 0)
    #expect(try vault.mfsctl(["vault", "logout", "--lock-timeout", "0"]).status == 42)
  }

  /// A clock that was never set, or was set back, changes nothing but the times.
  @Test func nothingHangsOnTheClock() throws {
    let recipe = try VaultSlot.Recipe.fresh(id: 1, label: "", kdf: .standard, created: Timestamp(seconds: -86_400))
    let secret = UnlockSecret.keyFile(try box(FormatWriter.keyFile))
    let vaultID = [UInt8](repeating: 1, count: VaultFormat.vaultIDSize)
    let slot = try VaultSlot.wrapping(try .random(), under: secret, vaultID: vaultID, recipe: recipe)
    #expect(slot.created == Timestamp(seconds: 0))
    #expect(try slot.unwrap(with: secret, vaultID: vaultID) != nil)
    let vault = try TestVault()
    try vault.create()
    for seconds: Int64 in [4_000_000_000, 1, -86_400, .max, .min] {
      let before = try vault.store.open().contents().generation
      try vault.store.open().update { contents throws(Failure) in
        contents.set(try KeyName("auth.x"), try SecureBytes(count: 1), at: Timestamp(seconds: seconds))
      }
      let contents = try vault.store.open().contents()
      #expect(contents.generation == before + 1)
      #expect(contents[try KeyName("auth.x")]?.updatedAt == Timestamp(seconds: seconds))
      #expect(try vault.mfsctl(["vault", "list"]).status == 0)
    }
  }
}
