internal import Basics
internal import CLinux
internal import Glibc

/// What stops a run before its end.
public enum Interruption: Sendable {
  /// SIGINT, SIGTERM and SIGHUP, while a plugin runs; not those that are ignored.
  case signals
  /// A descriptor of the caller's that can be read once the run is to stop.
  case descriptor(Int32)
  /// Nothing but the deadline.
  case never
}

/// An ``Interruption`` at work: the signals are held back and wait in a descriptor.
final class InterruptionWatch {
  /// Can be read once the run is to stop; nil when nothing stops it.
  var descriptor: Int32? { own?.raw ?? given }

  private let given: Int32?
  private let own: OpenSignals?

  init(_ interruption: Interruption) throws(Failure) {
    switch interruption {
    case .never: (given, own) = (nil, nil)
    case .descriptor(let number): (given, own) = (number, nil)
    case .signals: (given, own) = (nil, try OpenSignals())
    }
  }

  /// Lets the signals act as they did before while `body` asks a person, since reading a terminal must end with Ctrl-C.
  func suspended<R: ~Copyable>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
    own?.release()
    defer { own?.hold() }
    return try body()
  }

  /// Takes the signals that are waiting, so that they do not act once the watch ends.
  func consume() { own?.consume() }
}

private final class OpenSignals {
  let raw: Int32
  private var signals = sigset_t()
  private var before = sigset_t()

  init() throws(Failure) {
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      unsafe sigaction(signal, nil, &action)
      // A signal that is blocked is kept even when it is ignored; one that is ignored (nohup) must stay so.
      let isIgnored = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      if !isIgnored { unsafe sigaddset(&signals, signal) }
    }
    raw = unsafe clinux_signalfd(&signals)
    guard raw >= 0 else { throw .system("watch for signals") }
    hold()
  }

  deinit {
    release()
    close(raw)
  }

  func hold() { unsafe pthread_sigmask(SIG_BLOCK, &signals, &before) }
  func release() { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

  func consume() {
    var information = [UInt8](repeating: 0, count: 128)
    while unsafe read(raw, &information, information.count) > 0 {}
  }
}
