public import Basics
internal import CLinux
internal import Glibc

/// Asks the person at the terminal, on `/dev/tty`, so that it works while stdin and stdout are pipes.
public enum TerminalPrompt {
  /// Shows `text` and reads one line, without its end; what is typed is not shown when `hidden`. The terminal is put
  /// back as it was whatever happens, Ctrl-C and Ctrl-Z included. Throws `noTerminal` at once when there is none, and
  /// ``FailureCode/cancelled`` when the line is ended by Ctrl-D.
  public static func ask(_ text: String, hidden: Bool, noTerminal: Failure) throws(Failure) -> SecureBytes {
    guard let terminal = openTerminal() else { throw noTerminal }
    while true {
      switch try Session(terminal: terminal.raw, hidden: hidden, watched: []).run(text, until: { false }) {
      case .line(let line): return line
      // Between two sessions the signals that came in have taken effect; we are still here, so ask again.
      default: continue
      }
    }
  }

  /// As ``ask(_:hidden:noTerminal:)``, while the answer may come to be needless: `isOver` is asked whenever one of
  /// `descriptors` can be read, which it must not leave so, and once a second. Nil when it says yes.
  public static func ask(
    _ text: String, hidden: Bool, noTerminal: Failure, watching descriptors: [Int32],
    until isOver: () throws(Failure) -> Bool
  ) throws(Failure) -> SecureBytes? {
    guard let terminal = openTerminal() else { throw noTerminal }
    while true {
      switch try Session(terminal: terminal.raw, hidden: hidden, watched: descriptors).run(text, until: isOver) {
      case .line(let line): return line
      case .over: return nil
      case .interrupted: continue
      }
    }
  }

  /// Whether there is a terminal to ask on.
  public static var isAvailable: Bool { openTerminal() != nil }

  /// Asks twice for a new secret that may not be empty. Throws ``FailureCode/usage`` when the two differ.
  public static func askTwice(_ text: String, noTerminal: Failure) throws(Failure) -> SecureBytes {
    let first = try ask("\(text): ", hidden: true, noTerminal: noTerminal)
    let second = try ask("\(text) again: ", hidden: true, noTerminal: noTerminal)
    guard first.equals(second) else { throw Failure(.usage, "the two differ", hint: "try again") }
    return first
  }

  private static func openTerminal() -> FileDescriptor? {
    guard let terminal = try? FileDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY), isatty(terminal.raw) == 1
    else { return nil }
    return terminal
  }

  private enum Outcome: ~Copyable {
    case line(SecureBytes)
    case interrupted
    case over
  }

  // One stretch of the terminal being ours: signals wait in a descriptor, so that each is answered with the terminal
  // already restored.
  private struct Session: ~Copyable {
    let terminal: Int32
    let hidden: Bool
    let watched: [Int32]
    private static let limit = 4_096

    func run(_ text: String, until isOver: () throws(Failure) -> Bool) throws(Failure) -> Outcome {
      var signals = sigset_t()
      var before = sigset_t()
      unsafe sigemptyset(&signals)
      for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { unsafe sigaddset(&signals, signal) }
      unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
      defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
      var saved = termios()
      guard unsafe tcgetattr(terminal, &saved) == 0 else { throw .system("look at the terminal") }
      var quiet = saved
      if hidden { quiet.c_lflag &= ~tcflag_t(ECHO) }
      quiet.c_lflag |= tcflag_t(ICANON | ISIG)
      guard unsafe tcsetattr(terminal, TCSAFLUSH, &quiet) == 0 else { throw .system("set the terminal") }
      defer { unsafe tcsetattr(terminal, TCSANOW, &saved) }
      // Only now: what is typed once the question stands there is neither shown nor thrown away.
      try say(text)
      let arrivals = unsafe clinux_signalfd(&signals)
      guard arrivals >= 0 else { throw .system("wait for signals") }
      let guardian = FileDescriptor(owning: arrivals)
      let outcome = try line(signals: guardian.raw, until: isOver)
      if hidden { try say("\n") }
      return outcome
    }

    private func say(_ text: String) throws(Failure) {
      let file = FileDescriptor(owning: terminal)
      var failure: Failure?
      do throws(Failure) { try file.write(Array(text.utf8)) } catch { failure = error }
      _ = file.release()
      if let failure { throw failure }
    }

    private func line(signals: Int32, until isOver: () throws(Failure) -> Bool) throws(Failure) -> Outcome {
      let buffer = try SecureBytes(count: Session.limit)
      var count = 0
      while true {
        var waiting = ([signals, terminal] + watched).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&waiting, nfds_t(waiting.count), watched.isEmpty ? -1 : 1_000) >= 0 else {
          if clinux_errno() == EINTR { continue }
          throw .system("wait for the terminal")
        }
        if waiting[0].revents != 0 { return .interrupted }
        if try isOver() { return .over }
        guard waiting[1].revents != 0 else { continue }
        let room = buffer.count - count
        guard room > 0 else { throw SecretInput.tooLong("what was typed", Session.limit) }
        let got = unsafe buffer.withPointer { unsafe Glibc.read(terminal, $0 + count, room) }
        if got < 0 {
          if clinux_errno() == EINTR { continue }
          throw .system("read the terminal")
        }
        guard got > 0 else {
          // Ctrl-D shows nothing, so what follows would stand behind the prompt.
          try say("\n")
          throw Failure(.cancelled, "nothing was typed")
        }
        count += got
        let isWhole = unsafe buffer.withBytes { unsafe $0[count - 1] == 0x0A }
        if isWhole { return .line(try buffer.prefix(count - 1)) }
      }
    }
  }
}
