/// Who works and who waits for it. To look for a place and to take it is one step, so that under a lock no more get in than there are
/// places for, however many come at once.
struct PasswordPlaces: Equatable {
  private let workers: Int
  private let queue: Int
  /// How many have their turn.
  private(set) var working = 0
  /// How many wait for it.
  private(set) var waiting = 0

  init(workers: Int, queue: Int) {
    self.workers = max(1, workers)
    self.queue = max(0, queue)
  }

  /// Takes a place to wait at; false when all are taken, and then nothing changes.
  mutating func take() -> Bool {
    guard working + waiting < workers + queue else { return false }
    waiting += 1
    return true
  }

  /// Has one of those that wait begin; false while every worker is busy.
  mutating func begin() -> Bool {
    guard working < workers, waiting > 0 else { return false }
    working += 1
    waiting -= 1
    return true
  }

  /// One that worked is done.
  mutating func leave() { working -= 1 }
}
