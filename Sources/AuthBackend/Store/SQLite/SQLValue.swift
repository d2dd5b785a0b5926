internal import Basics

/// A value for a parameter of a statement.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  static func time(_ time: Timestamp) -> SQLValue { .integer(time.seconds) }
  static func time(_ time: Timestamp?) -> SQLValue { time.map { .integer($0.seconds) } ?? .null }
  static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
  static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
  static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
  /// Scopes have no spaces (RFC 6749 3.3).
  static func scopes(_ scopes: [String]) -> SQLValue { .text(scopes.joined(separator: " ")) }
  static func json(_ texts: [String]) -> SQLValue { .text(JSONValue.strings(texts).text) }
}

/// One SQL text. Each is one object that lives as long as the program, so that a connection finds its statement by identity.
final class Query: Sendable {
  let sql: String
  init(_ sql: String) { self.sql = sql }
}
