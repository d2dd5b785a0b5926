/// Who works and who waits for it. To look for a place and to take it is one step, so that under a lock no more get in than there are
/// places for, however many come at once.
///
/// A quarter of the queue is kept for accounts that are known by more than a name: one place for each, so that neither strangers who fill
/// the queue nor one account can take them all. Known ones and strangers have their turns by rotation.
struct PasswordPlaces: Equatable {
  /// A place, and whose it is.
  struct Place: Equatable {
    /// The known account that has it; nil for anybody's.
    let account: String?

    static let anybodys = Place(account: nil)
  }

  private let workers: Int
  private let queue: Int
  /// How many of the queue's places only known accounts get.
  private let kept: Int
  private var known: Set<String> = []
  private var knownWaiting = 0, strangersWaiting = 0
  // Whether it is the strangers' turn when both wait.
  private var isStrangersTurn = false
  /// How many have their turn.
  private(set) var working = 0
  /// How many wait for it.
  var waiting: Int { knownWaiting + strangersWaiting }

  init(workers: Int, queue: Int) {
    self.workers = max(1, workers)
    self.queue = max(0, queue)
    kept = self.queue / 4
  }

  /// Takes a place to wait at; nil when all that there are for this one are taken, and then nothing changes. An account that has a
  /// place of the known ones already is anybody with the next.
  mutating func take(known account: String?) -> Place? {
    let isKnown = account.map { !known.contains($0) } ?? false
    guard working + waiting < workers + queue - (isKnown ? 0 : kept) else { return nil }
    guard isKnown, let account else {
      strangersWaiting += 1
      return .anybodys
    }
    known.insert(account)
    knownWaiting += 1
    return Place(account: account)
  }

  /// Has one that waits begin; false while every worker is busy, or while it is the others' turn.
  mutating func begin(_ place: Place) -> Bool {
    let isKnown = place.account != nil
    guard working < workers, (isKnown ? knownWaiting : strangersWaiting) > 0 else { return false }
    guard isStrangersTurn != isKnown || (isKnown ? strangersWaiting : knownWaiting) == 0 else { return false }
    if isKnown { knownWaiting -= 1 } else { strangersWaiting -= 1 }
    working += 1
    isStrangersTurn = isKnown
    return true
  }

  /// Whether one of those that wait can begin.
  var hasTurn: Bool { working < workers && waiting > 0 }

  /// One that worked is done.
  mutating func leave(_ place: Place) {
    working -= 1
    if let account = place.account { known.remove(account) }
  }
}
