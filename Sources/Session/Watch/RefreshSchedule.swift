public import Basics

/// When the next refresh is due. Pure: it is told what happened and what the clocks say, and answers what to do now.
///
/// A refresh is due `skew` seconds before the session or the ID token ends, whichever ends first, by the wall clock; and no
/// later than that by the time that has really gone by since it was learned, sleep included. So a wall clock that jumps ahead
/// makes it due at once, and one that is set back does not put it off. After a failure the wait is random between nothing and a
/// bound that doubles (full jitter), and no shorter than the server asked for; waits are of time that really goes by.
public struct RefreshSchedule: Hashable, Sendable {
  /// The bounds, in seconds.
  public struct Limits: Hashable, Sendable {
    /// The bound of the first wait after a failure.
    public var firstWait: Int64 = 2
    /// The bound of every later one.
    public var longestWait: Int64 = 300
    /// The longest wait that a server's `Retry-After` is followed for.
    public var longestRetryAfter: Int64 = 3_600
    /// How many unexplained server errors on end are met with another try.
    public var serverErrors = 10

    /// 2 s, 5 min, 1 h, 10.
    public init() {}
  }

  /// What to do now.
  public enum Step: Hashable, Sendable {
    /// Refresh.
    case refresh
    /// Nothing before one of these moments; nil for no such moment.
    case wait(wall: Timestamp?, elapsed: Int64?)
    /// Ask for a sign-in: the server fails and does not say why, again and again. The credentials stay.
    case askForSignIn
  }

  /// How many seconds before the end of a session its refresh is due.
  public let skew: Int64
  /// The bounds.
  public let limits: Limits
  /// How many refreshes have failed on end.
  public private(set) var failures = 0
  /// How many of them by an unexplained server error.
  public private(set) var serverErrors = 0

  private var due: ClockReading?
  private var retryAt: Int64?
  private var signIn: SignIn?

  /// A schedule with nothing to do yet.
  public init(skew: Int64, limits: Limits = Limits()) {
    self.skew = skew
    self.limits = limits
  }

  /// Takes in the sign-in that is stored, whoever stored it; nil when there is none. With `isNew` its session has just been
  /// got: it is not refreshed within the restore margin, however short it is, and an ID token that the refresh did not renew
  /// no longer counts - else each refresh would ask for the next.
  public mutating func learn(_ signIn: SignIn?, isNew: Bool, at now: ClockReading) {
    let before = self.signIn
    self.signIn = signIn
    // A session that was dropped or has ended is no success: the waits go on growing.
    if isNew || before?.id != signIn?.id { (failures, serverErrors, retryAt) = (0, 0, nil) }
    guard let signIn, !signIn.isLocal, signIn.canRefresh else {
      due = nil
      return
    }
    let isSameToken = isNew && before?.id == signIn.id && before?.idTokenExpiresAt == signIn.idTokenExpiresAt
    let token = isSameToken && signIn.hasSession ? nil : signIn.idTokenExpiresAt
    let session = signIn.hasSession ? signIn.sessionExpiresAt : nil
    guard signIn.hasSession || signIn.idTokenExpiresAt != nil else {
      // What was rejected is gone, and what gets a new one is there.
      due = now
      return
    }
    guard let end = [session, token].compactMap({ $0 }).min() else {
      due = nil
      return
    }
    let earliest = isNew ? SignIn.restoreMargin : 0
    // Held within the range first, so that neither sum can overflow.
    let left = max(-1_000_000_000_000, min(1_000_000_000_000, end.advanced(by: -skew).seconds(since: now.wall)))
    let wait = max(left, earliest)
    due = ClockReading(wall: now.wall.advanced(by: wait), elapsed: now.elapsed + max(0, wait))
  }

  /// Takes in a refresh that failed; `random` is in 0..<1.
  public mutating func fail(status: Int?, retryAfter: Int?, at now: ClockReading, random: Double) {
    failures += 1
    if let status, RefreshSchedule.isUnexplained(status) { serverErrors += 1 }
    let bound = min(limits.longestWait, limits.firstWait << Int64(min(failures - 1, 30)))
    let jitter = max(1, Int64(max(0, min(random, 1)) * Double(bound)))
    let asked = max(0, min(Int64(retryAfter ?? 0), limits.longestRetryAfter))
    // Those who were told the same moment do not all come at it.
    retryAt = now.elapsed + (asked == 0 ? jitter : asked + min(jitter, max(1, asked / 10)))
  }

  /// Takes in that somebody else is refreshing: look again in a few seconds.
  public mutating func yield(at now: ClockReading) { retryAt = now.elapsed + 3 }

  /// Takes in that the wall clock was set, or the machine slept: what failed may work now.
  public mutating func clockWasSet(at now: ClockReading, random: Double) {
    guard let retryAt else { return }
    let soon = now.elapsed + 1 + Int64(max(0, min(random, 1)) * Double(limits.firstWait))
    self.retryAt = min(retryAt, soon)
  }

  /// What to do now.
  public func step(at now: ClockReading) -> Step {
    if serverErrors >= limits.serverErrors { return .askForSignIn }
    if let retryAt { return now.elapsed >= retryAt ? .refresh : .wait(wall: nil, elapsed: retryAt) }
    guard let due else { return .wait(wall: nil, elapsed: nil) }
    return now.wall >= due.wall || now.elapsed >= due.elapsed ? .refresh : .wait(wall: due.wall, elapsed: due.elapsed)
  }

  /// Seconds until the next refresh; nil when none is planned.
  public func secondsLeft(at now: ClockReading) -> Int64? {
    switch step(at: now) {
    case .refresh: 0
    case .askForSignIn: nil
    case .wait(let wall, let elapsed):
      [wall.map { $0.seconds(since: now.wall) }, elapsed.map { $0 - now.elapsed }].compactMap { $0 }.min()
    }
  }

  /// A server that is down or overloaded says 502, 503 or 504, and passes; any other 5xx may as well be its answer to a token
  /// that is no longer good, for ever.
  static func isUnexplained(_ status: Int) -> Bool {
    (500...599).contains(status) && ![502, 503, 504].contains(status)
  }
}

extension Timestamp {
  /// Seconds from another moment to this one, held at the ends of the range.
  func seconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = seconds.subtractingReportingOverflow(other.seconds)
    return overflow ? (seconds > other.seconds ? .max : .min) : difference
  }
}
