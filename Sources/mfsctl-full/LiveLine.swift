internal import Basics
internal import CommandLine
internal import Glibc
internal import Session

/// One line of a terminal that is written over again and again, with what is left of the session and of the ID token.
final class LiveLine {
  private let console: Console
  private var shown = ""

  /// A live line; nil when stdout is no terminal that can do it.
  init?(_ console: Console, _ environment: Environment) {
    guard console.outputIsTerminal, environment["TERM"] != "dumb" else { return nil }
    self.console = console
  }

  /// Shows where the session stands now.
  func show(_ watch: SessionWatch) throws(Failure) {
    let text =
      watch.lastStatus?.liveLine(refreshIn: watch.secondsToRefresh, at: .now(), columns: LiveLine.columns() - 1) ?? ""
    guard text != shown else { return }
    shown = text
    try console.write("\r\u{1B}[K\(text)")
  }

  /// Takes the line away, so that another can be printed in its place.
  func clear() throws(Failure) {
    guard !shown.isEmpty else { return }
    shown = ""
    try console.write("\r\u{1B}[K")
  }

  private static func columns() -> Int {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
