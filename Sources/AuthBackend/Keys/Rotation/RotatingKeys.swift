internal import BackendStore
internal import Basics

/// The keys of one purpose, the same for all processes on one store: each is made once, is known to all before it is used, and is kept
/// as long as something that was made with it may come back.
final class RotatingKeys<Material: Sendable>: Sendable {
  /// What differs between the purposes.
  struct Kind: Sendable {
    let purpose: SealedKey.Purpose
    /// A new key, sealed, not stored yet.
    let make: @Sendable (_ createdAt: Timestamp, _ activeAt: Timestamp) throws(Failure) -> SealedKey
    /// Opens a stored key.
    let open: @Sendable (SealedKey) throws(Failure) -> Material
    /// Whether a key is what would be made now; one that is not is replaced.
    let isWanted: @Sendable (SealedKey) -> Bool
  }

  let kind: Kind
  let schedule: KeySchedule
  let clock: @Sendable () -> Timestamp
  private let store: any KeyStore
  private let state = Monitor(State())

  // Readings are numbered as they begin: one that began earlier must not undo what a later one has seen.
  private struct State {
    var view = KeyView<Material>()
    var begun: UInt64 = 0
    var shown: UInt64 = 0
  }

  init(_ kind: Kind, schedule: KeySchedule, store: any KeyStore, clock: @escaping @Sendable () -> Timestamp) {
    (self.kind, self.schedule, self.store, self.clock) = (kind, schedule, store, clock)
  }

  /// Whether there is a view that is fresh enough to be used, so that the store is not asked.
  func isFresh(at now: Timestamp) -> Bool {
    state.withLock(wake: .nobody) { $0.view.isFresh(now, within: schedule.reread) }
  }

  /// A view that is fresh enough to be used; the store is asked only when it is not.
  func view(at now: Timestamp) throws(Failure) -> KeyView<Material> {
    let known = state.withLock(wake: .nobody) { $0.view }
    return known.isFresh(now, within: schedule.reread) ? known : try reread(now)
  }

  /// Reads the store. A key that was opened before is not opened again.
  @discardableResult
  func reread(_ now: Timestamp) throws(Failure) -> KeyView<Material> {
    let (number, known) = state.withLock(wake: .nobody) { state in
      state.begun += 1
      return (state.begun, state.view.entries)
    }
    var view = KeyView<Material>()
    var free: Timestamp?, isFirst = true
    for stored in try store.keys(kind.purpose) {
      var row = stored
      // One that waits is used as soon as none before it is: those were taken out of use by hand. When that was is not known any more once
      // they are pruned.
      if isFirst, row.activeAt > now { row.activeAt = min(row.activeAt, row.createdAt) }
      if !isFirst, let free { row.activeAt = min(row.activeAt, max(row.createdAt, free)) }
      free = isFirst || free != nil ? row.retiredAt.map { max($0, free ?? $0) } : nil
      isFirst = false
      view.newest = row.number
      if let end = row.removedAt, end <= now { continue }
      view.entries.append(.init(row: row, material: opened(row, known)))
    }
    view.readAt = now
    let result = view
    state.withLock(wake: .nobody) { state in
      guard state.shown < number else { return }
      (state.view, state.shown) = (result, number)
    }
    return result
  }

  private func opened(_ row: SealedKey, _ known: [KeyView<Material>.Entry]) -> Result<Material, Failure> {
    let same = known.first {
      $0.row.number == row.number && $0.row.sealed == row.sealed && $0.row.keyID == row.keyID
        && $0.row.algorithm == row.algorithm
    }
    if let same { return same.material }
    do throws(Failure) { return .success(try kind.open(row)) } catch { return .failure(error) }
  }

  /// Stores a key that was sealed; nil when another process was first.
  func add(after newest: Int64, createdAt: Timestamp, activeAt: Timestamp) throws(Failure) -> SealedKey? {
    try store.add(try kind.make(createdAt, activeAt), ifNewestIs: newest)
  }

  /// Says when a key is retired and removed; false when it was known to be so soon.
  func retire(_ row: SealedKey, at moment: Timestamp, removedAt: Timestamp) throws(Failure) -> Bool {
    try store.retire(row.number, retiredAt: moment, removedAt: removedAt)
  }

  /// Takes a key out of use; false when it was before.
  func withdraw(_ row: SealedKey, at moment: Timestamp) throws(Failure) -> Bool {
    try store.withdraw(row.number, at: moment)
  }
}
