internal import Basics
internal import CLinux
internal import Glibc
internal import StrategyWire

/// What a plugin says: its log and whatever its process prints, each line stamped with its name, cleaned, capped and
/// with secrets masked before it goes anywhere.
final class PluginLog {
  private let name: StrategyName
  private let secrets: SecretStore
  private let sink: (String) -> Void
  private var lines = 0
  private var partial: [UInt8] = []

  init(_ name: StrategyName, secrets: SecretStore, sink: @escaping (String) -> Void) {
    self.name = name
    self.secrets = secrets
    self.sink = sink
  }

  /// A line of the plugin's log.
  func line(_ level: WireLogLevel, _ text: String) { write("\(level)", text) }

  /// A line of this side's about the plugin.
  func note(_ text: String) { write("host", text) }

  /// A text of the plugin's, safe to show.
  func clean(_ text: String, limit: Int = 1_000) -> String { OutsideText.clean(secrets.scrub(text), limit: limit) }

  /// Reads what the process has printed, without waiting.
  func drain(_ descriptor: Int32) {
    var chunk = [UInt8](repeating: 0, count: 4_096)
    // A process that prints without end must not keep this side from its other work.
    for _ in 0..<16 {
      let got = unsafe read(descriptor, &chunk, chunk.count)
      if got < 0, clinux_errno() == EINTR { continue }
      guard got > 0 else { return }
      for byte in chunk.prefix(got) {
        if byte == 0x0A { flush() } else if partial.count < 4_096 { partial.append(byte) }
      }
    }
  }

  /// Writes the last line though it has no end.
  func flush() {
    if !partial.isEmpty { write("output", String(decoding: partial, as: UTF8.self)) }
    partial.removeAll()
  }

  private func write(_ kind: String, _ text: String) {
    lines += 1
    guard lines <= StrategyLimits.logLines else {
      if lines == StrategyLimits.logLines + 1 { sink("\(name): host: it logs too much; the rest is left out") }
      return
    }
    sink("\(name): \(kind): \(clean(text))")
  }
}
