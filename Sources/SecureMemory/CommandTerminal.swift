internal import Basics
internal import Glibc

/// The terminal that a command may ask its user on. The command's group has it from when it first reads from it, which the
/// kernel answers by stopping it; until then Ctrl-C and Ctrl-Z reach this process.
final class CommandTerminal {
  private let terminal: FileDescriptor
  private let child: pid_t
  private var isLent = false
  /// How the terminal was before the command had it.
  private var modes: termios?

  /// The terminal of this session; nil when there is none.
  init?(child: pid_t) {
    guard let opened = try? FileDescriptor.open("/dev/tty", flags: O_RDWR | O_NOCTTY), isatty(opened.raw) == 1 else {
      return nil
    }
    terminal = opened
    self.child = child
  }

  /// Does what a signal that stopped the command calls for. Says false when it wants the terminal and this process, being
  /// in the background, has none to lend.
  func follow(_ stop: Int32) -> Bool {
    switch stop {
    case SIGTTIN, SIGTTOU: return lend()
    case SIGTSTP where isLent:
      // Ctrl-Z while the command had the terminal: the whole job pauses, and goes on when the shell says so.
      takeBack()
      kill(0, SIGTSTP)
      return lend()
    default: return true
    }
  }

  private func lend() -> Bool {
    let owner = tcgetpgrp(terminal.raw)
    if modes == nil {
      var now = termios()
      if unsafe tcgetattr(terminal.raw, &now) == 0 { modes = now }
    }
    guard owner == child || (owner == getpgrp() && tcsetpgrp(terminal.raw, child) == 0) else { return false }
    isLent = true
    kill(-child, SIGCONT)
    return true
  }

  /// Makes the terminal as it was, and ours. A command that was ended while it asked has left the echo off.
  func restore() {
    takeBack()
    guard var modes else { return }
    unsafe tcsetattr(terminal.raw, TCSADRAIN, &modes)
    self.modes = nil
  }

  /// Makes the terminal ours again.
  func takeBack() {
    guard isLent else { return }
    isLent = false
    tcsetpgrp(terminal.raw, getpgrp())
  }
}
