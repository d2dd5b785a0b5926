import BackendStore
import Basics
import Foundation

/// A store of keys alone, shared by any number of key rings as a database is by processes.
final class MemoryKeyStore: KeyStore, @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var rows: [SealedKey] = []
  private var last: Int64 = 0
  private var hook: (() -> Void)?
  private var retireHook: (() -> Void)?
  private(set) var readings = 0
  var failure: Failure?

  /// Runs once, just before the next key is added: another process is faster.
  func beforeNextAdd(_ hook: @escaping () -> Void) { lock.withLock { self.hook = hook } }

  /// The same for the next key that is retired or withdrawn.
  func beforeNextRetire(_ hook: @escaping () -> Void) { lock.withLock { retireHook = hook } }

  /// Every row that was not pruned.
  var all: [SealedKey] { lock.withLock { rows } }

  /// Removes what is over, as the upkeep of a store does.
  func prune(_ now: Timestamp) { lock.withLock { rows.removeAll { $0.removedAt.map { $0 <= now } ?? false } } }

  /// Changes a row behind the server's back.
  func tamper(_ number: Int64, _ change: (inout SealedKey) -> Void) {
    lock.withLock { rows.indices.filter { rows[$0].number == number }.forEach { change(&rows[$0]) } }
  }

  func keys(_ purpose: SealedKey.Purpose) throws(Failure) -> [SealedKey] {
    if let failure { throw failure }
    return lock.withLock {
      readings += 1
      return rows.filter { $0.purpose == purpose }
    }
  }

  func add(_ key: SealedKey, ifNewestIs newest: Int64) throws(Failure) -> SealedKey? {
    if let failure { throw failure }
    let hook = lock.withLock { () -> (() -> Void)? in
      defer { self.hook = nil }
      return self.hook
    }
    hook?()
    return lock.withLock {
      guard (rows.last { $0.purpose == key.purpose }?.number ?? 0) == newest else { return nil }
      var stored = key
      last += 1
      stored.number = last
      rows.append(stored)
      return stored
    }
  }

  func retire(_ number: Int64, retiredAt: Timestamp, removedAt: Timestamp) throws(Failure) -> Bool {
    if let failure { throw failure }
    let hook = lock.withLock { () -> (() -> Void)? in
      defer { retireHook = nil }
      return retireHook
    }
    hook?()
    let isChanged = lock.withLock { () -> Bool? in
      guard let index = rows.firstIndex(where: { $0.number == number }) else { return nil }
      let before = rows[index]
      rows[index].retiredAt = min(before.retiredAt ?? retiredAt, retiredAt)
      rows[index].removedAt = min(before.removedAt ?? removedAt, removedAt)
      return rows[index] != before
    }
    guard let isChanged else { throw Failure(.notFound, "there is no such key") }
    return isChanged
  }
}

/// A clock that goes when it is told to.
final class TestClock: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds: Int64

  init(_ seconds: Int64 = 1_800_000_000) { self.seconds = seconds }

  var now: Timestamp { lock.withLock { Timestamp(seconds: seconds) } }
  func pass(_ seconds: Int64) { lock.withLock { self.seconds += seconds } }
  func set(_ moment: Timestamp) { lock.withLock { seconds = moment.seconds } }
}
