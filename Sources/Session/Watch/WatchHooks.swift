public import Basics

/// The commands that are run at the events of a watch, one at a time. While one runs, the newest event that asks for one
/// waits, in place of those before it: a command is told where the session stands, not each step on the way.
public final class WatchHooks {
  private let onCredential: String?
  private let onSignedOut: String?
  private let profile: ProfileName
  private let seconds: Int
  private var running: WatchCommand?
  private var waiting: WatchEvent?

  /// The commands of `--on-credential` and `--on-signed-out`; nil for none. One that does not end within `seconds` is ended.
  public init(onCredential: String?, onSignedOut: String?, profile: ProfileName, seconds: Int = 60) {
    self.onCredential = onCredential
    self.onSignedOut = onSignedOut
    self.profile = profile
    self.seconds = seconds
  }

  /// Can be read once the command at work has ended; nil while there is none.
  var descriptor: Int32? { running?.descriptor }
  /// Milliseconds until the command at work is ended; nil while there is none.
  var millisecondsLeft: Int32? { running?.deadline.millisecondsLeft }
  /// Whether a command is at work or waits.
  var isBusy: Bool { running != nil || waiting != nil }

  /// Runs the command of an event, if there is one, now or after the one at work. Throws ``FailureCode/inputOutput``.
  func take(_ event: WatchEvent) throws(Failure) {
    guard command(of: event) != nil else { return }
    waiting = event
    if running == nil { try startNext() }
  }

  /// Sees whether the command at work has ended or has to be. Returns what went wrong with it; nil for nothing.
  func tend() throws(Failure) -> String? {
    guard let command = running else { return nil }
    var trouble: String?
    if let status = command.outcome() {
      trouble = WatchHooks.trouble(status)
    } else if command.deadline.millisecondsLeft == 0 {
      command.stop()
      trouble = "did not end within \(seconds) seconds, and was ended"
    } else {
      return nil
    }
    running = nil
    if waiting != nil { try startNext() }
    return trouble.map { "\(command.option) \($0)" }
  }

  /// Ends the command at work, and lets no other begin.
  func stop() {
    waiting = nil
    running?.stop()
    running = nil
  }

  private func command(of event: WatchEvent) -> (option: String, text: String)? {
    switch event.kind {
    case .credential: onCredential.map { ("--on-credential", $0) }
    case .signedOut, .signInNeeded: onSignedOut.map { ("--on-signed-out", $0) }
    default: nil
    }
  }

  private func startNext() throws(Failure) {
    guard let event = waiting, let (option, text) = command(of: event) else { return }
    waiting = nil
    let variables = [
      ("MFSCTL_EVENT", event.kind.rawValue), ("MFSCTL_REASON", event.reason ?? ""), ("MFSCTL_PROFILE", profile.text),
    ]
    running = try WatchCommand(
      text, option: option, input: event.json.text, variables: variables, seconds: seconds)
  }

  private static func trouble(_ status: Int32) -> String? {
    let signal = status & 0x7F
    if signal != 0 { return "was ended by signal \(signal)" }
    let code = (status >> 8) & 0xFF
    return code == 0 ? nil : "ended with status \(code)"
  }
}
