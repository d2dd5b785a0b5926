public import Basics

extension LintReport {
  /// The report as the JSON document of docs/CLI.md. With more than ``limit`` findings the summary says how many are
  /// `omitted`; they count among its errors and warnings.
  public var json: JSONValue {
    var summary: [JSONValue.Member] = [
      .init("errors", .number(errors)), .init("warnings", .number(warnings)),
    ]
    if omitted.count > 0 { summary.append(.init("omitted", .number(omitted.count))) }
    return [
      "version": 1, "modes": .strings(modes), "files": .strings(files.map(\.name)),
      "findings": .array(findings.map(\.json)),
      "summary": .object(summary),
    ]
  }
}

extension Finding {
  /// The finding as JSON: null positions when it is about something absent.
  public var json: JSONValue {
    func position(_ value: Int?) -> JSONValue { value.map { .number($0) } ?? .null }
    return [
      "rule": .string(rule.rawValue), "severity": .string(severity.rawValue), "modes": .strings(modes),
      "file": .optional(file), "line": position(range?.line), "column": position(range?.column),
      "endLine": position(range?.endLine), "endColumn": position(range?.endColumn), "key": .optional(key),
      "message": .string(message), "help": .optional(help), "fix": nil,
    ]
  }
}
