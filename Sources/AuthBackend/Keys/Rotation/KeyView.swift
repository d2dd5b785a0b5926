internal import Basics
internal import BackendStore

/// The keys of one purpose as the store had them at a moment, opened.
struct KeyView<Material: Sendable>: Sendable {
  /// A key, which all readers share.
  final class Entry: Sendable {
    let row: SealedKey
    /// The opened key, or why it cannot be opened.
    let material: Result<Material, Failure>

    init(row: SealedKey, material: Result<Material, Failure>) { (self.row, self.material) = (row, material) }

    var opened: Material? { if case .success(let material) = material { material } else { nil } }
    var fault: Failure? { if case .failure(let failure) = material { failure } else { nil } }
  }

  /// A key that can be used.
  struct Live: Sendable {
    let entry: Entry
    let material: Material

    var row: SealedKey { entry.row }
  }

  /// Those that are not removed, oldest first.
  var entries: [Entry] = []
  /// The number of the newest key, be it removed or not; 0 when there is none.
  var newest: Int64 = 0
  /// When it was read; nil before the first time.
  var readAt: Timestamp?

  /// Whether it may be used at a moment; a clock that was set back makes it old too. A request that took its time may come after another
  /// one had the store read: for it a view of seconds later is good.
  func isFresh(_ now: Timestamp, within seconds: Int64) -> Bool {
    guard let readAt else { return false }
    return readAt <= now.advanced(by: min(seconds, 10)) && now <= readAt.advanced(by: seconds)
  }

  /// What new things are made with: the newest key whose time has come, or else the one that has been known for longest.
  func current(at now: Timestamp) -> Live? {
    var earliest: Live?
    for entry in entries.reversed() {
      guard let material = entry.opened, !isOver(entry.row.retiredAt, now), !isOver(entry.row.removedAt, now) else {
        continue
      }
      if entry.row.activeAt <= now { return Live(entry: entry, material: material) }
      earliest = Live(entry: entry, material: material)
    }
    return earliest
  }

  /// The keys that count at a moment: all that can be opened and are not removed, newest first.
  func kept(at now: Timestamp) -> [Live] {
    entries.reversed().compactMap { entry in
      guard let material = entry.opened, !isOver(entry.row.removedAt, now) else { return nil }
      return Live(entry: entry, material: material)
    }
  }

  private func isOver(_ end: Timestamp?, _ now: Timestamp) -> Bool { end.map { $0 <= now } ?? false }
}
