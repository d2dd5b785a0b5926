/// What plain text means by the core schema of YAML 1.2 (10.3.2). `yes`, `no`, `on`, `off` and `1:30` are strings.
public enum YAMLScalarKind: Equatable, Sendable {
  /// Nothing, `~` or `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number: decimal, `0o17` or `0x1F`; nil when it does not fit 64 bits.
  case integer(Int64?)
  /// A number with a fraction or exponent, infinity or not a number.
  case float
  /// Anything else.
  case string

  /// The meaning of plain text.
  init(plain text: String) {
    switch text {
    case "", "~", "null", "Null", "NULL": self = .null
    case "true", "True", "TRUE": self = .bool(true)
    case "false", "False", "FALSE": self = .bool(false)
    default:
      // Most text begins with a letter and is nothing else.
      guard let first = text.utf8.first, first < 0x3A else {
        self = .string
        return
      }
      self = YAMLScalarKind.number(text)
    }
  }

  private static func number(_ text: String) -> YAMLScalarKind {
    if text.hasPrefix("0o"), hasOnly(text.utf8.dropFirst(2), { (0x30...0x37).contains($0) }) {
      return .integer(Int64(text.dropFirst(2), radix: 8))
    }
    if text.hasPrefix("0x"), hasOnly(text.utf8.dropFirst(2), isHexDigit) {
      return .integer(Int64(text.dropFirst(2), radix: 16))
    }
    var rest = text.utf8[...]
    if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
    if hasOnly(rest, isDigit) { return .integer(Int64(text)) }
    if [".inf", ".Inf", ".INF"].contains(String(rest)) || [".nan", ".NaN", ".NAN"].contains(text) { return .float }
    return isFloat(rest) ? .float : .string
  }

  // (\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
  private static func isFloat(_ text: Substring.UTF8View) -> Bool {
    var rest = text
    func takeDigits() -> Int {
      let digits = rest.prefix(while: isDigit)
      rest = rest.dropFirst(digits.count)
      return digits.count
    }
    let whole = takeDigits()
    var fraction = 0
    if rest.first == 0x2E {
      rest = rest.dropFirst()
      fraction = takeDigits()
    }
    guard whole + fraction > 0 else { return false }
    if rest.first == 0x65 || rest.first == 0x45 {
      rest = rest.dropFirst()
      if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
      guard takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func hasOnly(_ bytes: Substring.UTF8View, _ matches: (UInt8) -> Bool) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(matches)
  }
}
