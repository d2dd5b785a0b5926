extension Timestamp {
  /// RFC 3339 in UTC with whole seconds: `2026-09-04T18:00:00Z`.
  public var rfc3339: String {
    let t = CivilTime(self)
    if (0...9_999).contains(t.year) { return Timestamp.text(t) }
    return "\(padded(t.year, 4))-\(padded(t.month, 2))-\(padded(t.day, 2))"
      + "T\(padded(t.hour, 2)):\(padded(t.minute, 2)):\(padded(t.second, 2))Z"
  }

  // Every line of a log has one.
  private static func text(_ t: CivilTime) -> String {
    var bytes = Array("0000-00-00T00:00:00Z".utf8)
    func put(_ number: Int64, _ end: Int, _ width: Int) {
      var rest = number
      for place in stride(from: end, to: end - width, by: -1) {
        bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
    put(t.year, 3, 4)
    put(t.month, 6, 2)
    put(t.day, 9, 2)
    put(t.hour, 12, 2)
    put(t.minute, 15, 2)
    put(t.second, 18, 2)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The HTTP date of RFC 9110 5.6.7 (that of RFC 1123): `Fri, 04 Sep 2026 18:00:00 GMT`.
  public var httpDate: String {
    let t = CivilTime(self)
    let weekday = Timestamp.weekdays[Int(t.weekday)], month = Timestamp.months[Int(t.month) - 1]
    return "\(weekday), \(padded(t.day, 2)) \(month) \(padded(t.year, 4)) "
      + "\(padded(t.hour, 2)):\(padded(t.minute, 2)):\(padded(t.second, 2)) GMT"
  }

  /// Reads RFC 3339 with 0 to 9 fraction digits and any offset, as new and old gateways write it
  /// (`2022-01-21T15:24:44Z`, `2013-05-08T14:40:00.851049969-05:00`). The fraction is dropped, so that a deadline is
  /// never later than what was said. Nil for anything else, and for a time whose offset leads out of the years 0 to 9999.
  public init?(rfc3339 text: String) {
    var scanner = FieldScanner(text)
    guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
      let day = scanner.digits(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
      let hour = scanner.digits(2), scanner.take(":"), let minute = scanner.digits(2), scanner.take(":"),
      let second = scanner.digits(2)
    else { return nil }
    if scanner.take(".") {
      guard let count = scanner.skipDigits(), (1...9).contains(count) else { return nil }
    }
    var offset: Int64 = 0
    if !(scanner.take("Z") || scanner.take("z")) {
      let sign: Int64
      if scanner.take("+") { sign = 1 } else if scanner.take("-") { sign = -1 } else { return nil }
      guard let hours = scanner.digits(2), scanner.take(":"), let minutes = scanner.digits(2), hours < 24, minutes < 60
      else { return nil }
      offset = sign * (hours * 3_600 + minutes * 60)
    }
    guard scanner.isAtEnd,
      let local = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second).timestamp
    else { return nil }
    self = local.advanced(by: -offset)
    guard Timestamp.expressible.contains(self) else { return nil }
  }

  /// 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z: what RFC 3339 can say in UTC.
  public static let expressible = Timestamp(seconds: -62_167_219_200)...Timestamp(seconds: 253_402_300_799)

  /// Reads an HTTP date as RFC 9110 5.6.7 has it, and with hyphens as old cookies do
  /// (`Fri, 04-Sep-2026 18:00:00 GMT`); the weekday is not checked. Nil for anything else.
  public init?(httpDate text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 6 || parts.count == 4, parts.last == "GMT" || parts.last == "UTC" else { return nil }
    let date = parts[1..<(parts.count - 2)].flatMap { $0.split(separator: "-", omittingEmptySubsequences: false) }
    let clock = parts[parts.count - 2].split(separator: ":", omittingEmptySubsequences: false)
    guard date.count == 3, clock.count == 3, date[2].utf8.count == 4,
      let month = Timestamp.months.firstIndex(of: date[1].prefix(1).uppercased() + date[1].dropFirst().lowercased()),
      let day = Timestamp.number(date[0]), let year = Timestamp.number(date[2]), let hour = Timestamp.number(clock[0]),
      let minute = Timestamp.number(clock[1]), let second = Timestamp.number(clock[2]),
      let time = CivilTime(
        year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second
      ).timestamp
    else { return nil }
    self = time
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func number(_ text: Substring) -> Int64? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// Reads fixed fields off the front of a text.
private struct FieldScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  mutating func digits(_ count: Int) -> Int64? {
    let field = rest.prefix(count)
    guard field.count == count, field.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest.removeFirst(count)
    return field.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  mutating func skipDigits() -> Int? {
    let count = rest.prefix { (0x30...0x39).contains($0) }.count
    guard count > 0 else { return nil }
    rest.removeFirst(count)
    return count
  }
}
