internal import Basics

extension LintReport {
  /// The report as GitHub annotations, a line each (GitHub's workflow commands `error` and `warning`). `prefix` stands
  /// before each file's name, since GitHub wants paths from the root of the checkout.
  public func github(pathPrefix prefix: String = "") -> String {
    var out = ""
    for finding in findings {
      var properties: [(String, String)] = []
      if let file = finding.file { properties.append(("file", prefix + file)) }
      if let range = finding.range {
        properties.append(("line", String(range.line)))
        properties.append(("endLine", String(range.endLine)))
        // GitHub takes columns within one line only.
        if range.line == range.endLine {
          properties.append(("col", String(range.column)))
          properties.append(("endColumn", String(range.endColumn)))
        }
      }
      properties.append(("title", finding.rule.rawValue))
      let text = [finding.message, finding.help].compactMap { $0 }.joined(separator: "\n")
      out += "::\(finding.severity.rawValue) "
      out += properties.map { "\($0.0)=\(GitHubCommand.property($0.1))" }.joined(separator: ",")
      out += "::\(GitHubCommand.data(text))\n"
    }
    return out
  }
}

/// How GitHub's workflow commands want text to be escaped.
enum GitHubCommand {
  /// Text behind the second `::`.
  static func data(_ text: String) -> String { escape(text, including: "%\r\n") }
  /// The value of a property.
  static func property(_ text: String) -> String { escape(text, including: "%\r\n:,") }

  private static func escape(_ text: String, including special: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if special.unicodeScalars.contains(scalar) {
        out += "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
