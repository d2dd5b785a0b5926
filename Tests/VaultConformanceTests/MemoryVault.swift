import Basics
import SecureMemory
import Vault

/// A vault in memory that keeps every promise, or breaks one on purpose.
final class MemoryVault: VaultBackend {
  enum Fault: String, CaseIterable {
    case none, cutsAtNul, dropsEmpty, cuts8192, ignoresCase, forgetsTime, keepsRemoved, staleEdit, sharedSnapshot
    case commitsFailedEdit, ignoresExpectation, expectationAfterEdit, countsNothing, countsReads, countsNames
    case logoutTakesAll, removesPrefixAuth, cacheForever, uncommittedVisible, swallowsFailure, wipeDestroys
  }

  final class Store {
    var generation: UInt64 = 1
    var entries: [KeyName: VaultContents.Entry] = [:]
    var isDestroyed = false
  }

  let kind = BackendKind.file
  private let store: Store
  private let fault: Fault
  private var cache: VaultContents?

  init(_ store: Store, _ fault: Fault) { (self.store, self.fault) = (store, fault) }

  func contents() throws(Failure) -> VaultContents {
    if store.isDestroyed { throw Failure(.vaultNotInitialised, "the vault is gone") }
    if fault == .cacheForever || fault == .sharedSnapshot, let cache { return cache }
    let contents = VaultContents(generation: store.generation, entries: store.entries)
    if fault == .cacheForever || fault == .staleEdit || fault == .sharedSnapshot { cache = contents }
    return contents
  }

  func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let before = store.generation
    func checkExpectation() throws(Failure) {
      if let expectedGeneration, expectedGeneration != before, fault != .ignoresExpectation {
        throw Failure(.vaultRolledBack, "the vault is at generation \(before)")
      }
    }
    if fault != .expectationAfterEdit { try checkExpectation() }
    let contents: VaultContents
    if fault == .staleEdit, let cache { contents = cache } else { contents = try self.contents() }
    let saved = store.entries
    do throws(Failure) {
      if fault == .uncommittedVisible {
        let probe = VaultContents(generation: before, entries: saved)
        try edit(probe)
        store.entries = probe.entries
      }
      try edit(contents)
      if fault == .uncommittedVisible { store.entries = saved }
    } catch {
      if fault == .uncommittedVisible { store.entries = saved }
      if fault == .commitsFailedEdit { try commit(contents) }
      if fault == .swallowsFailure { return before }
      throw error
    }
    if fault == .expectationAfterEdit { try checkExpectation() }
    guard !contents.changes.isEmpty || fault == .countsReads else { return before }
    try commit(contents)
    return store.generation
  }

  private func commit(_ contents: VaultContents) throws(Failure) {
    if fault != .countsNothing {
      store.generation = store.generation &+ (fault == .countsNames ? UInt64(contents.changes.count) : 1)
    }
    if fault == .cacheForever { cache = nil }
    let removed = store.entries.keys.filter { contents[$0] == nil }
    var entries = fault == .keepsRemoved ? store.entries : [:]
    for (name, entry) in contents.entries {
      var key = name
      if fault == .ignoresCase { key = try KeyName(name.text.lowercased()) }
      let time = fault == .forgetsTime ? Timestamp(seconds: 0) : entry.updatedAt
      switch fault {
      case .cutsAtNul:
        let length = unsafe entry.value.withBytes { unsafe $0.firstIndex(of: 0) ?? $0.count }
        entries[key] = VaultContents.Entry(value: try entry.value.prefix(length), updatedAt: time)
      case .cuts8192:
        entries[key] = VaultContents.Entry(value: try entry.value.prefix(8192), updatedAt: time)
      case .dropsEmpty where entry.value.count == 0: break
      default: entries[key] = VaultContents.Entry(value: try entry.value.copy(), updatedAt: time)
      }
    }
    if fault == .logoutTakesAll, removed.contains(where: \.isCredential) { entries = [:] }
    if fault == .removesPrefixAuth, removed.contains(where: \.isCredential) {
      entries = entries.filter { !$0.key.text.hasPrefix("auth") }
    }
    if fault == .wipeDestroys, entries.isEmpty, !removed.isEmpty { store.isDestroyed = true }
    store.entries = entries
  }
}
