internal import Basics
internal import SecureMemory

/// The secrets of one run, which the plugin knows by number, and what its log must not show.
final class SecretStore {
  private var secrets: [UInt64: SecureBox] = [:]
  private var hidden: [SecureBox] = []

  /// Keeps a secret and returns its number. Throws ``FailureCode/pluginFailed`` when there are too many.
  func add(_ secret: SecureBox) throws(Failure) -> UInt64 {
    guard secrets.count < StrategyLimits.secrets else {
      throw Failure(.pluginFailed, "it made more than \(StrategyLimits.secrets) secrets")
    }
    let handle = UInt64(secrets.count + 1)
    secrets[handle] = secret
    hide(secret)
    return handle
  }

  /// The secret of a number; nil when there is none.
  subscript(_ handle: UInt64) -> SecureBox? { secrets[handle] }

  /// Keeps a value that the plugin has seen out of its log. Values of fewer than 4 bytes would hide half of every text.
  func hide(_ secret: SecureBox) {
    if secret.bytes.count >= 4, hidden.count < 4 * StrategyLimits.secrets { hidden.append(secret) }
  }

  /// A text with every secret in it masked. That a plugin does not hide one in another form is not promised: it is for
  /// mistakes.
  func scrub(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for secret in hidden {
      let count = secret.bytes.count
      var start = 0
      while count <= bytes.count - start {
        let matches = unsafe secret.bytes.withBytes { unsafe $0.elementsEqual(bytes[start..<(start + count)]) }
        if matches {
          bytes.replaceSubrange(start..<(start + count), with: SecretStore.mask)
          start += SecretStore.mask.count
        } else {
          start += 1
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let mask = Array("********".utf8)
}
