internal import Basics
internal import SecureMemory

/// A value that came from a plugin. Bytes are taken for secrets and never leave guarded memory.
enum PluginValue {
  case text(String)
  case bytes(SecureBox)
  case integer(Int64)
  case boolean(Bool)
  case instant(Timestamp)
  /// The number of a secret that this side holds.
  case secret(UInt64)
  case list(PluginRecord)
}

/// Named values that came from a plugin, in order.
struct PluginRecord {
  let fields: [(name: String, value: PluginValue)]

  /// The first value of that name.
  subscript(_ name: String) -> PluginValue? { fields.first { $0.name == name }?.value }
  /// The text of that name; nil when it is absent or something else.
  func text(_ name: String) -> String? { if case .text(let value)? = self[name] { value } else { nil } }
  /// The number of that name.
  func integer(_ name: String) -> Int64? { if case .integer(let value)? = self[name] { value } else { nil } }
  /// The boolean of that name.
  func boolean(_ name: String) -> Bool? { if case .boolean(let value)? = self[name] { value } else { nil } }
  /// The list of that name.
  func list(_ name: String) -> PluginRecord? { if case .list(let value)? = self[name] { value } else { nil } }
}
