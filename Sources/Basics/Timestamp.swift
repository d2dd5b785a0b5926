internal import Glibc

/// A moment on the wall clock in whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX time).
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Seconds since the epoch; negative before it.
  public let seconds: Int64

  /// The moment that many seconds after the epoch.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Now, by the system's wall clock.
  public static func now() -> Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec))
  }

  /// Earlier is smaller.
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }

  /// The moment `seconds` later, held at the ends of the range instead of overflowing.
  public func advanced(by seconds: Int64) -> Timestamp {
    let (sum, overflow) = self.seconds.addingReportingOverflow(seconds)
    return Timestamp(seconds: overflow ? (seconds > 0 ? .max : .min) : sum)
  }

  /// RFC 3339 in UTC with whole seconds: `2026-09-04T18:00:00Z`.
  public var description: String { rfc3339 }
}

// The proleptic Gregorian calendar, by the usual count of days from 1 March of year 0 so that a leap day comes last.
struct CivilTime: Equatable {
  var year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64

  init(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  init(_ time: Timestamp) {
    // Rounded down, for every number that there is.
    func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { a / b - (a % b < 0 ? 1 : 0) }
    let days = floorDivide(time.seconds, 86_400)
    let rest = (time.seconds % 86_400 + 86_400) % 86_400
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1,
      hour: rest / 3_600, minute: rest / 60 % 60, second: rest % 60)
  }

  /// The moment this names, or nil when a field is out of its range (a leap second is taken as the next second).
  var timestamp: Timestamp? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...CivilTime.days(in: month, of: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear >= 0 ? shiftedYear / 400 : (shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return Timestamp(seconds: days * 86_400 + hour * 3_600 + minute * 60 + second)
  }

  /// 0 is Sunday.
  var weekday: Int64 {
    guard let time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0).timestamp else {
      return 0
    }
    return ((time.seconds / 86_400 + 4) % 7 + 7) % 7
  }

  static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
