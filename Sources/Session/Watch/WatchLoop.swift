public import Basics
internal import Glibc

/// Runs a watch until it is asked to end or, unless it waits for one, until a person has to sign in.
public final class WatchLoop {
  /// How it ended.
  public enum Ending: Sendable {
    /// SIGINT.
    case interrupted
    /// SIGTERM or SIGHUP.
    case terminated
    /// Only a person can go on.
    case signInNeeded(Failure)
  }

  private let watch: SessionWatch
  private let changes: any VaultChanges
  private let hooks: WatchHooks
  private let signals: WatchSignals
  private let waitsForSignIn: Bool
  private let output: Int32?
  private let onTick: ((SessionWatch) throws(Failure) -> Void)?
  private let timer: any WallAlarm
  private let inbox: EventInbox
  private let onEvent: (WatchEvent) throws(Failure) -> Void

  /// A loop. With `waitsForSignIn` it stays while nobody is signed in. `output` is a descriptor whose reader's going ends it;
  /// `onTick` is called every second, for what is shown live; `makeWatch` makes the watch for where its events are to go.
  /// `alarm` is the kernel's unless another is given.
  public init(
    changes: any VaultChanges, hooks: WatchHooks, signals: WatchSignals, waitsForSignIn: Bool, output: Int32? = nil,
    alarm: (any WallAlarm)? = nil,
    onTick: ((SessionWatch) throws(Failure) -> Void)? = nil, onEvent: @escaping (WatchEvent) throws(Failure) -> Void,
    makeWatch: (@escaping (WatchEvent) -> Void) -> SessionWatch
  ) throws(Failure) {
    self.changes = changes
    self.hooks = hooks
    self.signals = signals
    self.waitsForSignIn = waitsForSignIn
    self.output = output
    self.onEvent = onEvent
    if let alarm { timer = alarm } else { timer = try WallTimer() }
    let inbox = EventInbox()
    watch = makeWatch { inbox.events.append($0) }
    self.inbox = inbox
    self.onTick = onTick
  }

  /// Runs. Throws what keeps it from going on: a vault that cannot be read, an output whose reader has gone.
  public func run() throws(Failure) -> Ending {
    defer { hooks.stop() }
    try watch.look()
    while true {
      try deliver()
      if let failure = watch.needsSignIn, !waitsForSignIn {
        try finishCommands()
        return .signInNeeded(failure)
      }
      if let ending = try waitOnce() {
        try onEvent(WatchEvent(.stopped, at: .now(), status: watch.lastStatus))
        return ending
      }
      try watch.work()
    }
  }

  private func deliver() throws(Failure) {
    while !inbox.events.isEmpty {
      let event = inbox.events.removeFirst()
      try onEvent(event)
      try hooks.take(event)
    }
    if let onTick { try onTick(watch) }
  }

  /// The last command is to have done its work before the program ends.
  private func finishCommands() throws(Failure) {
    while hooks.isBusy {
      var ready = [hooks.descriptor ?? -1, signals.interruption, signals.termination].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      unsafe poll(&ready, nfds_t(ready.count), max(1, hooks.millisecondsLeft ?? 1))
      if ready[1].revents != 0 || ready[2].revents != 0 { return }
      try tendCommands()
    }
  }

  private func tendCommands() throws(Failure) {
    if let trouble = try hooks.tend() {
      try onEvent(WatchEvent(.commandFailed, at: .now(), text: trouble, status: nil))
    }
  }

  /// Waits until something happens or is due, and takes it in.
  private func waitOnce() throws(Failure) -> Ending? {
    let (wall, elapsed) = watch.wake
    try timer.ring(at: wall)
    // Both clocks are read again at each wake, so a wait that is too short or too long by a clock's change does no harm.
    var milliseconds: Int64 = 60_000
    if let elapsed { milliseconds = min(milliseconds, max(0, elapsed - ClockReading.now().elapsed) * 1_000) }
    if let wall { milliseconds = min(milliseconds, max(0, wall.seconds(since: .now())) * 1_000) }
    if changes.descriptor == nil || onTick != nil { milliseconds = min(milliseconds, 1_000) }
    if let left = hooks.millisecondsLeft { milliseconds = min(milliseconds, Int64(left)) }
    let watched = [
      signals.interruption, signals.termination, timer.descriptor, changes.descriptor ?? -1, hooks.descriptor ?? -1,
    ]
    var ready = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // Nothing is to be read there; that its reader has gone is told all the same.
    ready.append(pollfd(fd: output ?? -1, events: 0, revents: 0))
    let count = unsafe poll(&ready, nfds_t(ready.count), Int32(clamping: milliseconds))
    guard count >= 0 || errno == EINTR else { throw .system("wait") }
    if ready[0].revents != 0 { return .interrupted }
    if ready[1].revents != 0 { return .terminated }
    if ready[5].revents & Int16(POLLERR) != 0 { throw Failure(.outputGone, "the reader of the output has gone") }
    try tendCommands()
    if ready[2].revents != 0, timer.take() { try watch.clockWasSet() }
    if changes.haveCome() || isPast(wall) { try watch.look() }
    return nil
  }

  private func isPast(_ wall: Timestamp?) -> Bool { wall.map { $0 <= .now() } ?? false }
}

private final class EventInbox {
  var events: [WatchEvent] = []
}

extension FailureCode {
  /// The reader of what a watch prints has gone.
  public static let outputGone = FailureCode("output-gone", .inputOutput)
}
