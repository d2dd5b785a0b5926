public import Basics

/// Removing credentials from a vault: locally, in one commit. Telling the servers is not the vault's business.
public struct Logout: Sendable {
  /// Whether everything goes, not only `auth.*`.
  public var wipe: Bool
  /// Whether to say only what would be done. Then no lock is taken and nothing is changed.
  public var dryRun: Bool
  /// The generation that the vault must be at; nil for any.
  public var expectedGeneration: UInt64?

  /// A logout.
  public init(wipe: Bool = false, dryRun: Bool = false, expectedGeneration: UInt64? = nil) {
    self.wipe = wipe
    self.dryRun = dryRun
    self.expectedGeneration = expectedGeneration
  }

  /// What was done, or would be.
  public struct Report: Sendable, Equatable {
    /// Whether everything was to go.
    public let wiped: Bool
    /// Whether the vault itself was removed, because no key opened it.
    public let destroyed: Bool
    /// The names removed, in order. Of a destroyed vault they are not known.
    public let deleted: [KeyName]
    /// The names kept, in order.
    public let kept: [KeyName]
    /// The generation after it; nil when there is no vault any more.
    public let generation: UInt64?
    /// What the removal is worth.
    public let erase: EraseReport
    /// Why the vault could not be opened, when it was removed for that.
    public var obstacle: Failure?
  }

  /// Runs on an unlocked vault: one commit, all or nothing. Idempotent.
  public func run(_ vault: any VaultBackend) throws(Failure) -> Report {
    var deleted: [KeyName] = []
    var kept: [KeyName] = []
    func edit(_ contents: VaultContents) throws(Failure) {
      deleted = contents.removeAll { wipe || $0.isCredential }
      kept = contents.names
    }
    let generation: UInt64
    if dryRun {
      let contents = try vault.contents()
      if let expectedGeneration, expectedGeneration != contents.generation {
        throw Failure(
          .vaultRolledBack, "the vault is at generation \(contents.generation), not at \(expectedGeneration)")
      }
      try edit(contents)
      generation = contents.generation
    } else {
      generation = try vault.update(expectedGeneration: expectedGeneration, edit)
    }
    return Report(
      wiped: wipe, destroyed: false, deleted: deleted, kept: kept, generation: generation,
      erase: EraseReport(kind: vault.kind, destroyed: false))
  }

  /// Runs on the place of a vault. A wipe needs no key: a vault that cannot be opened, for want of one or because it is
  /// damaged, is removed. A profile that is still pinned though its vault was removed is logged out already. Everything
  /// else that is wrong, and every reason why a plain logout cannot open the vault, is thrown with nothing changed.
  public func run(_ store: any VaultStore, isPinned: Bool) throws(Failure) -> Report {
    let vault: any VaultBackend
    do throws(Failure) { vault = try store.open() } catch {
      return try run(unopened: store, error, isPinned: isPinned)
    }
    do throws(Failure) { return try run(vault) } catch {
      return try run(unopened: store, error, isPinned: isPinned)
    }
  }

  /// The same for a vault of which it is known already why it cannot be opened.
  public func run(unopened store: any VaultStore, _ obstacle: Failure, isPinned: Bool) throws(Failure) -> Report {
    if isPinned, obstacle.code == .vaultNotInitialised {
      return Report(
        wiped: wipe, destroyed: false, deleted: [], kept: [], generation: nil,
        erase: EraseReport(kind: store.kind, destroyed: true))
    }
    guard wipe, Logout.wipeDestroys.contains(obstacle.code) else { throw obstacle }
    // The generation of a vault that cannot be opened is not proved, so it may not be the expected one.
    guard expectedGeneration == nil else {
      throw Failure(
        obstacle.code, "\(obstacle.message); so its generation cannot be proved, and nothing was removed",
        hint: obstacle.hint.map { "\($0); or leave out --expect-generation" } ?? "leave out --expect-generation")
    }
    if !dryRun { _ = try store.destroy() }
    return Report(
      wiped: true, destroyed: true, deleted: [], kept: [], generation: nil,
      erase: EraseReport(kind: store.kind, destroyed: true), obstacle: obstacle)
  }

  private static let wipeDestroys: Set<FailureCode> = [
    .vaultLocked, .vaultWrongKey, .vaultDamaged, .vaultTampered, .vaultNewerFormat,
  ]
}

/// What removing a value is worth: how much somebody with the disk and the key could still get at.
public struct EraseReport: Sendable, Equatable {
  /// `L0`: gone from the vault as it is now; older copies still open with the same key.
  public let level: String
  /// The same in a sentence.
  public let text: String

  init(kind: BackendKind, destroyed: Bool) {
    level = "L0"
    switch (kind, destroyed) {
    case (.file, false):
      text =
        "The values are gone from the vault file. Blocks the disk has not reused, snapshots and backups may hold an "
        + "older file, which the same passphrase or key file still opens."
    case (.file, true):
      text =
        "The vault file is removed. Blocks the disk has not reused, snapshots and backups may hold it still, and its "
        + "passphrase or key file would open it: destroy that too."
    case (.secretService, _):
      text =
        "The values are gone from the keyring. Its service may keep older copies on disk, which the keyring's password "
        + "still opens."
    }
  }
}
