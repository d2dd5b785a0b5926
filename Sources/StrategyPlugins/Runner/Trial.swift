package import StrategyWire

/// How this host differs from what it is otherwise, when the conformance kit tries a plugin.
package enum Trial {
  /// What the run asks for; set once, before the plugin is loaded.
  package nonisolated(unsafe) static var current = WireTrial()

  /// How many bytes larger structures and pairs are.
  static var spacing: Int { unsafe current.isGrown ? 32 : 0 }

  /// An answer with a field that nobody knows in front, when that is asked for.
  static func greased(_ answer: WireRecord) -> WireRecord {
    guard unsafe current.isGreased else { return answer }
    return WireRecord([.init("x-unknown", .list(["x": .bytes([0xFF])]))] + answer.fields)
  }
}
