internal import Basics

/// NumericDate of RFC 7519 2: seconds since the epoch as a JSON number, perhaps with a fraction or an exponent.
enum NumericDate {
  // 9999-12-31T23:59:59Z, the last moment that RFC 3339 can say.
  private static let latest: Int64 = 253_402_300_799

  /// The moment, its fraction dropped; nil for what is no number, or not between 1970 and 9999.
  static func moment(_ value: JSONValue) -> Timestamp? {
    switch value {
    case .integer(let seconds): return (0...latest).contains(seconds) ? Timestamp(seconds: seconds) : nil
    case .number(let text):
      // A double holds each second of that range and more than its thousandths; beyond the range it may be infinite.
      guard let seconds = Double(text), seconds >= 0, seconds < Double(latest) + 1 else { return nil }
      return Timestamp(seconds: Int64(seconds))
    default: return nil
    }
  }
}
