public import Basics
internal import CLinux
internal import Glibc
internal import HTTPServer

/// Opens pages in the person's browser: what `$BROWSER` names, else `xdg-open` where there is a desktop.
public struct BrowserLauncher: Sendable {
  private let commands: [[String]]

  /// A launcher for an environment. `$BROWSER` is a list of programs separated by colons, of which the first that is there is
  /// used; in each, words are separated by blanks and `%s` stands for the address, which is else the last word.
  public init(environment: Environment) {
    var commands: [[String]] = []
    for item in (environment.nonEmpty("BROWSER") ?? "").split(separator: ":") {
      let words = item.split(separator: " ").map(String.init)
      if !words.isEmpty { commands.append(words) }
    }
    if commands.isEmpty, environment.nonEmpty("DISPLAY") != nil || environment.nonEmpty("WAYLAND_DISPLAY") != nil {
      commands.append(["xdg-open"])
    }
    let folders = (environment.nonEmpty("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(
      String.init)
    self.commands = commands.compactMap { words in
      guard let program = BrowserLauncher.find(words[0], in: folders) else { return nil }
      return [program] + words.dropFirst()
    }
  }

  /// Whether there is something to open a page with.
  public var isAvailable: Bool { !commands.isEmpty }

  /// Opens a page. The address stands in the program's arguments, which every user of the machine can read: it must not
  /// hold a secret. Nil when there is nothing to open it with, or it does not start.
  public func open(_ address: String) -> LaunchedBrowser? {
    for words in commands {
      var hasPlace = false
      var arguments = words.map { word in
        let parts = BrowserLauncher.around(place: word)
        hasPlace = hasPlace || parts.count > 1
        return parts.joined(separator: address)
      }
      if !hasPlace { arguments.append(address) }
      if let process = LaunchedBrowser(arguments) { return process }
    }
    return nil
  }

  // What stands before, between and after each `%s`.
  private static func around(place word: String) -> [String] {
    var parts = [""]
    var rest = word[...]
    while let character = rest.popFirst() {
      if character == "%", rest.first == "s" {
        rest.removeFirst()
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  private static func find(_ program: String, in folders: [String]) -> String? {
    if program.contains("/") { return unsafe access(program, X_OK) == 0 ? program : nil }
    // A relative entry of PATH would take a program from whatever folder this runs in.
    for folder in folders where folder.hasPrefix("/") {
      let path = "\(folder)/\(program)"
      if unsafe access(path, X_OK) == 0 { return path }
    }
    return nil
  }
}

/// A browser, or the program that tells one what to open. It goes on when this value ends.
public final class LaunchedBrowser {
  private let status = Monitor<Int32?>(nil)

  init?(_ words: [String]) {
    guard let program = words.first else { return nil }
    // What a browser prints is not ours to show, and nothing that is open here is any business of its. In its own group, as a
    // Ctrl-C here must not end a browser that had to be started for this.
    guard let child = try? ChildProcess(program, words, descriptors: [.null, .null, .null]) else { return nil }
    let process = child.id
    let status = self.status
    // Waited for whenever it ends, and be it long after this value: a process that nobody waits for would stay in the table.
    let waiting = try? Thread {
      let ended = ChildProcess.wait(for: process)
      status.withLock { $0 = ended }
    }
    waiting?.detach()
  }

  /// Whether it has ended and says that it opened nothing.
  public var hasFailed: Bool { status.withLock(wake: .nobody) { $0 }.map { $0 != 0 } ?? false }
}
