internal import BackendStore
internal import Basics

extension RotatingKeys {
  typealias View = KeyView<Material>

  /// What new things are made with. Throws when there is no key that can be opened.
  func current(at now: Timestamp) throws(Failure) -> Material {
    guard let current = try view(at: now).current(at: now) else { throw missing }
    return current.material
  }

  /// Does what is due: makes the first key, or the next one when the newest has had its time, and retires those that have a
  /// successor. Any number of processes may do this at once, and again after a crash.
  func tick() throws(Failure) -> [KeyEvent] {
    let now = clock()
    var view = try reread(now), events: [KeyEvent] = []
    if let activeAt = try due(view, now) {
      if let made = try add(after: view.newest, createdAt: now, activeAt: activeAt) {
        events.append(KeyEvent(.made, made, at: made.activeAt))
      }
      view = try reread(now)
    }
    return events + (try retireSucceeded(view, now))
  }

  /// Makes the next key now, unless there is one already that waits for its time, and returns it.
  func turn() throws(Failure) -> (key: KeyStatus, isMade: Bool, events: [KeyEvent]) {
    var events = try tick()
    let now = clock()
    var view = try reread(now)
    if let newest = view.entries.last, newest.row.activeAt <= now,
      let made = try add(after: view.newest, createdAt: now, activeAt: now.advanced(by: schedule.lead))
    {
      events.append(KeyEvent(.made, made, at: made.activeAt))
    }
    view = try reread(now)
    events += try retireSucceeded(view, now)
    guard let newest = view.entries.last else { throw missing }
    let isMade = events.contains { $0.kind == .made && $0.number == newest.row.number }
    return (status(newest, now), isMade, events)
  }

  /// Takes a key out of use at once. If there is no other one to go on with, one is made first, and used at once.
  func withdraw(_ name: String, _ isMeant: (SealedKey) -> Bool) throws(Failure) -> [KeyEvent] {
    let now = clock()
    let view = try reread(now)
    var events: [KeyEvent] = []
    guard let meant = view.entries.first(where: { isMeant($0.row) })?.row else {
      let word = kind.purpose == .signing ? "key" : "pepper"
      throw Failure(
        .notFound, "there is no \(word) '\(OutsideText.clean(name, limit: 100))'",
        hint: "'mfs-authd \(word) list' has those that count; it may have been removed already")
    }
    let next = view.without(meant.number).current(at: now)
    if next == nil || view.newest == meant.number {
      // With another one to go on with, the new one is published first.
      let ahead = now.advanced(by: schedule.lead)
      let activeAt = next.map { min(ahead, $0.row.retiredAt ?? ahead) } ?? now
      guard let made = try add(after: view.newest, createdAt: now, activeAt: activeAt) else {
        throw Failure(.lockTimeout, "another process makes a key just now", hint: "try again")
      }
      events.append(KeyEvent(.made, made, at: activeAt))
    }
    if try withdraw(meant, at: now) { events.append(KeyEvent(.withdrawn, meant, at: now)) }
    return events + (try retireSucceeded(try reread(now), now))
  }

  /// All keys that are not removed, oldest first.
  func list() throws(Failure) -> [KeyStatus] {
    let now = clock()
    return try reread(now).entries.map { status($0, now) }
  }

  private func status(_ entry: View.Entry, _ now: Timestamp) -> KeyStatus {
    let state: KeyStatus.State =
      if entry.fault != nil {
        .unreadable
      } else if let end = entry.row.retiredAt, end <= now {
        .retired
      } else if entry.row.activeAt > now {
        .pending
      } else {
        .active
      }
    return KeyStatus(entry.row, state)
  }

  /// When a key that has to be made now is to be used from; nil when none has to be.
  private func due(_ view: View, _ now: Timestamp) throws(Failure) -> Timestamp? {
    guard let newest = view.entries.last else { return now }
    // Whoever has the wrong unlock key must not put keys of its own beside those.
    if !view.entries.contains(where: { $0.opened != nil }), let fault = newest.fault { throw fault }
    guard let current = view.current(at: now) else { return now }
    let ahead = now.advanced(by: schedule.lead)
    if newest.fault != nil { return min(ahead, current.row.retiredAt ?? ahead) }
    if newest.row.activeAt > now { return nil }
    let isOver = newest.row.activeAt.advanced(by: schedule.rotation - schedule.lead) <= now
    return isOver || !kind.isWanted(newest.row) ? ahead : nil
  }

  /// A key with a successor is retired when that one is used first.
  private func retireSucceeded(_ view: View, _ now: Timestamp) throws(Failure) -> [KeyEvent] {
    var events: [KeyEvent] = [], isChanged = false
    for (entry, next) in zip(view.entries, view.entries.dropFirst()) where entry.row.retiredAt == nil {
      let end = max(next.row.activeAt, entry.row.createdAt)
      isChanged = true
      // Another process may have taken it out of use since it was read: then it stays so.
      guard try retire(entry.row, at: end, removedAt: max(end, now).advanced(by: schedule.keep)) else { continue }
      events.append(KeyEvent(.retired, entry.row, at: end))
    }
    if isChanged { try reread(now) }
    return events
  }

  /// That there is no key to work with.
  var missing: Failure {
    Failure(
      .configuration, "there is no \(kind.purpose.rawValue) key that can be used",
      hint: "the server makes one when it starts, unless it cannot open those that it has; see 'mfs-authd key list'")
  }
}

extension KeyView {
  fileprivate func without(_ number: Int64) -> KeyView {
    var others = self
    others.entries.removeAll { $0.row.number == number }
    return others
  }
}
