internal import Glibc

enum TerminalInput {
  /// Whether standard input is a terminal.
  static var isTerminal: Bool { isatty(0) == 1 }
}
