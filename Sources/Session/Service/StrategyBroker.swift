public import Basics
public import SecureMemory
public import StrategyHost
internal import Vault

/// Asks a person. The terminal and `--password-stdin` are implementations.
public protocol SessionPrompter: AnyObject {
  /// Asks. Throws ``FailureCode/cancelled`` when the person refuses, ``FailureCode/signInNeeded`` when there is nobody.
  func ask(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes
}

/// What a run of a strategy reaches of the outside world. It lends values under `auth.` only, whatever a manifest says:
/// database keys are no business of a login.
final class StrategyBroker: StrategyServices {
  private let values: VaultContents?
  private let overrides: [String: SecureBox]
  private let prompter: (any SessionPrompter)?
  private let clock: () -> Timestamp
  private let onLog: (String) -> Void
  /// What the prompter threw; more exact than what becomes of it on its way through a plugin.
  private(set) var promptFailure: Failure?

  /// A broker for one run. `overrides` stand before `values`.
  init(
    values: VaultContents?, overrides: [String: SecureBox] = [:], prompter: (any SessionPrompter)?,
    clock: @escaping () -> Timestamp, onLog: @escaping (String) -> Void
  ) {
    self.values = values
    self.overrides = overrides
    self.prompter = prompter
    self.clock = clock
    self.onLog = onLog
  }

  func vaultValue(_ name: String) throws(Failure) -> SecureBytes? {
    let key = try KeyName(name)
    guard key.isCredential else { return nil }
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

  func now() -> Timestamp { clock() }
  func log(_ line: String) { onLog(line) }
}
