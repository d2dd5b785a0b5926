/// One data item of CBOR (RFC 8949), of the kinds that ``CBORReader`` takes.
enum CBORValue: Equatable {
  /// Major type 0.
  case unsigned(UInt64)
  /// Major type 1: the number is -1 - n.
  case negative(UInt64)
  /// Major type 2.
  case bytes([UInt8])
  /// Major type 3, checked to be UTF-8.
  case text(String)
  /// Major type 4.
  case array([CBORValue])
  /// Major type 5, in order; no two keys are the same.
  case map([(key: CBORValue, value: CBORValue)])
  /// `true` or `false`.
  case bool(Bool)
  /// `null`.
  case null

  /// The value of a map's text key, compared byte for byte; nil when this is no map or has none.
  subscript(_ name: String) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members.first { member in
      if case .text(let key) = member.key { key.utf8.elementsEqual(name.utf8) } else { false }
    }?.value
  }

  /// The bytes, when this is a byte string.
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The text, when this is a text string.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The items, when this is an array.
  var items: [CBORValue]? { if case .array(let items) = self { items } else { nil } }

  /// The same kind and content. Texts are compared byte for byte, and maps in order.
  static func == (a: CBORValue, b: CBORValue) -> Bool {
    switch (a, b) {
    case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)): a == b
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.map(let a), .map(let b)): a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
    case (.bool(let a), .bool(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }
}
