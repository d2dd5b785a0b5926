internal import Basics
internal import CommandLine
internal import Glibc
internal import SecureMemory
internal import Session
internal import StrategyHost
internal import mfsctlCommands

/// The login screen on `/dev/tty`: a title, the strategy's questions, and the version below. With `--password-stdin` the
/// question for a secret is answered from there, once.
final class SignInDialog: SessionPrompter {
  private let strategy: String
  private let hasIdentifier: Bool
  private let isBuiltin: Bool
  private var password: SecureBox?
  private let readsStdin: Bool
  private let console: Console
  private var isOpen = false

  /// A dialogue for a strategy; `hasIdentifier` tells whether `--identifier` was given, `password` is what stdin gave.
  init(strategy: String, hasIdentifier: Bool, password: SecureBox?, console: Console) {
    self.console = console
    self.strategy = strategy
    self.hasIdentifier = hasIdentifier
    self.password = password
    readsStdin = password != nil
    isBuiltin = ["basic", "demo", "oidc_implicit", "oidc_code"].contains(strategy)
  }

  /// The password on stdin, without one line end. Throws ``FailureCode/usage`` when there is none.
  static func passwordFromStdin() throws(Failure) -> SecureBox {
    let input = try SecretInput.read(descriptor: 0, limit: 4_096, what: "the password on stdin")
    let password = try SecretInput.droppingLineEnd(input)
    guard password.count > 0 else { throw Failure(.usage, "there is no password on stdin") }
    return SecureBox(password)
  }

  func ask(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes {
    if prompt.isSecret, readsStdin {
      guard let given = password else {
        throw Failure(.signInNeeded, "the strategy asks for a second secret, and stdin gave one")
      }
      password = nil
      return try given.bytes.copy()
    }
    // Whose words these are must be plain when they are not the toolkit's own.
    let text = isBuiltin ? prompt.text : "\(OutsideText.clean(strategy, limit: 64)) asks: \(prompt.text)"
    let hint =
      if prompt.isSecret { "give it on stdin, with --password-stdin" } else if hasIdentifier {
        "sign in on a terminal: the strategy asks for more than --identifier"
      } else { "give --identifier" }
    let title = isOpen ? "" : "\(SessionTexts.title)\n"
    let answer = try TerminalPrompt.ask(
      "\(title)\(text): ", hidden: prompt.isSecret,
      noTerminal: Failure(.signInNeeded, "there is no terminal to ask for: \(prompt.text)", hint: hint))
    isOpen = true
    return answer
  }

  /// Shows a text on stderr, where it is seen without a terminal too.
  func show(_ text: String) {
    let from = isBuiltin ? "" : "\(OutsideText.clean(strategy, limit: 64)) says: "
    console.instruct("\(from)\(text)")
  }

  /// Ends the dialogue with its footer, if it was ever shown.
  func close() {
    guard isOpen else { return }
    isOpen = false
    let footer = "mfsctl \(toolkitVersion)\n"
    guard let terminal = try? FileDescriptor.open("/dev/tty", flags: O_WRONLY | O_NOCTTY) else { return }
    // A terminal that went away has nobody left to read it.
    try? terminal.write(Array(footer.utf8))
  }
}
