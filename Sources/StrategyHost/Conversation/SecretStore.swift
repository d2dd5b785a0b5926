internal import Basics
internal import SecureMemory

/// The secrets of one run, which the plugin knows by number, and what its log must not show.
final class SecretStore {
  private var secrets: [UInt64: SecureBox] = [:]
  private var byteCount = 0
  private var mask: SecretMask
  private var hiddenCount = 0

  init() throws(Failure) { mask = try SecretMask() }

  /// Keeps a secret and returns its number. Throws ``FailureCode/pluginFailed`` when there are too many.
  func add(_ secret: SecureBox) throws(Failure) -> UInt64 {
    guard secrets.count < StrategyLimits.secrets else {
      throw Failure(.pluginFailed, "it made more than \(StrategyLimits.secrets) secrets")
    }
    byteCount += secret.bytes.count
    guard byteCount <= StrategyLimits.allSecrets else {
      throw Failure(.pluginFailed, "its secrets are more than \(StrategyLimits.allSecrets) bytes")
    }
    let handle = UInt64(secrets.count + 1)
    secrets[handle] = secret
    hide(secret)
    return handle
  }

  /// The secret of a number; nil when there is none.
  subscript(_ handle: UInt64) -> SecureBox? { secrets[handle] }

  /// Keeps a value that the plugin has seen out of its log.
  func hide(_ secret: SecureBox) {
    guard hiddenCount < 4 * StrategyLimits.secrets else { return }
    hiddenCount += 1
    mask.add(secret)
  }

  /// A text with every secret in it masked. That a plugin does not hide one in another form is not promised: it is for
  /// mistakes.
  func scrub(_ text: String) -> String { mask.masked(text) }
}
