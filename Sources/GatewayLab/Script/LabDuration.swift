internal import Basics
internal import YAML

/// A time span in a scenario file: whole numbers with a unit, `250ms`, `5s`, `2m`, `1h`, `3d`.
enum LabDuration {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// The milliseconds that a node says, within a range; `-` only where the range has negative ones.
  static func milliseconds(_ node: YAMLNode, in range: ClosedRange<Int64>) throws(Failure) -> Int64 {
    let text = try node.text()
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" }.prefix { $0.isASCII && $0.isNumber }
    let unit = text.drop { $0 == "-" }.dropFirst(digits.count)
    guard text.count == digits.count + unit.count + (isNegative ? 1 : 0), let number = Int64(digits),
      let unit = units.first(where: { $0.name == unit })
    else {
      throw node.failure(
        "'\(OutsideText.clean(text, limit: 40))' is no time span", hint: "write for example 250ms, 5s, 2m or 1h")
    }
    let (value, overflow) = number.multipliedReportingOverflow(by: isNegative ? -unit.milliseconds : unit.milliseconds)
    guard !overflow, range.contains(value) else {
      throw node.failure(
        "this time span is out of range",
        hint: "use one from \(LabDuration.text(range.lowerBound)) to \(LabDuration.text(range.upperBound))")
    }
    return value
  }

  /// A time span as a scenario file would say it.
  static func text(_ milliseconds: Int64) -> String {
    let unit =
      units.last { milliseconds % $0.milliseconds == 0 && abs(milliseconds) >= $0.milliseconds } ?? ("s", 1_000)
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }
}
