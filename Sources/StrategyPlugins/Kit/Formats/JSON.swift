/// A JSON document that was read (RFC 8259): enough for the answers of servers, strict, and small, because a plugin that
/// links a larger reader starts later than it works.
public enum JSON: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as it was written.
  case number(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object. Of a name that stands twice the last value counts.
  case object([String: JSON])

  /// Reads one document of UTF-8; nil when it is none, or nested more than 64 deep.
  public init?(_ bytes: [UInt8]) {
    var parser = JSONParser(bytes)
    guard let value = parser.document() else { return nil }
    self = value
  }

  /// A member of an object; nil when this is none or has no such member.
  public subscript(_ name: String) -> JSON? { if case .object(let members) = self { members[name] } else { nil } }

  /// The string, when this is one.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number, when this is one that fits.
  public var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
}
