public import Basics
public import SecureMemory
public import StrategyHost
internal import Vault

/// Asks a person. The terminal and `--password-stdin` are implementations.
public protocol SessionPrompter: AnyObject {
  /// Asks. Throws ``FailureCode/cancelled`` when the person refuses, ``FailureCode/signInNeeded`` when there is nobody.
  func ask(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes
  /// Shows a text that needs no answer.
  func show(_ text: String) throws(Failure)
}

/// What a run of a strategy reaches of the outside world. It lends values under `auth.` and the device's id only, whatever a
/// manifest says: database keys are no business of a login.
final class StrategyBroker: StrategyServices {
  private let values: VaultContents?
  private let overrides: [String: SecureBox]
  private let prompter: (any SessionPrompter)?
  private let clock: () -> Timestamp
  private let onLog: (String) -> Void
  private let onStore: ([(name: String, value: StrategyValue)]) throws(Failure) -> Bool
  /// The person's browser.
  let browser: (any StrategyBrowser)?
  /// Whether the identity provider is to ask who signs in.
  let asksAgain: Bool
  /// What the prompter threw; more exact than what becomes of it on its way through a plugin.
  private(set) var promptFailure: Failure?

  /// A broker for one run. `overrides` stand before `values`; `onStore` stores what cannot wait for the run's end, and is
  /// false when the sign-in has ended.
  init(
    values: VaultContents?, overrides: [String: SecureBox] = [:], prompter: (any SessionPrompter)? = nil,
    browser: (any StrategyBrowser)? = nil, asksAgain: Bool = false, clock: @escaping () -> Timestamp,
    onLog: @escaping (String) -> Void,
    onStore: @escaping ([(name: String, value: StrategyValue)]) throws(Failure) -> Bool = { _ in false }
  ) {
    self.browser = browser
    self.asksAgain = asksAgain
    self.onStore = onStore
    self.values = values
    self.overrides = overrides
    self.prompter = prompter
    self.clock = clock
    self.onLog = onLog
  }

  func vaultValue(_ name: String) throws(Failure) -> SecureBytes? {
    let key = try KeyName(name)
    guard key.isCredential || name == SessionKey.deviceId.rawValue else { return nil }
    if let box = overrides[name] { return try box.bytes.copy() }
    return try values?[key]?.value.copy()
  }

  func answer(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes {
    do throws(Failure) {
      guard let prompter else {
        throw Failure(.signInNeeded, "the strategy asks a person, and this is done without asking anyone")
      }
      return try prompter.ask(prompt)
    } catch {
      promptFailure = error
      throw error
    }
  }

  func store(_ values: [(name: String, value: StrategyValue)]) throws(Failure) -> Bool {
    // A name outside auth.* is nothing a plugin may write, whatever let it through.
    for (name, _) in values {
      guard try KeyName(name).isCredential else { throw Failure(.bug, "a plugin stores \(name)") }
    }
    return try onStore(values)
  }

  func show(_ text: String) throws(Failure) {
    guard let prompter else { throw Failure(.signInNeeded, "there is nobody to show anything to") }
    try prompter.show(text)
  }

  func now() -> Timestamp { clock() }
  func log(_ line: String) { onLog(line) }
}
