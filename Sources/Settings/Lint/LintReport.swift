internal import Basics

/// What a linter found.
public struct LintReport: Sendable {
  /// The modes that were looked at.
  public let modes: [String]
  /// The files that were there, lowest first, those that no mode reads last.
  public let files: [EnvFile]
  /// The findings: by file, line and column, those about what is absent last.
  public let findings: [Finding]

  /// How many findings are errors.
  public var errors: Int { findings.count { $0.severity == .error } }
  /// How many findings are warnings.
  public var warnings: Int { findings.count { $0.severity == .warning } }

  /// More findings than this are not reported: whatever it is, it is no env file.
  static let limit = 50_000

  /// Merges what was found in each mode: a finding that several share says so.
  static func merging(_ perMode: [(mode: String, files: [EnvFile], findings: [Finding])]) -> LintReport {
    var files: [EnvFile] = []
    for file in perMode.flatMap(\.files) where !files.contains(where: { $0.name == file.name }) { files.append(file) }
    guard perMode.count > 1 else {
      return LintReport(modes: perMode.map(\.mode), files: files, findings: perMode.flatMap(\.findings))
    }
    var positions: [Finding: Int] = [:]
    var merged: [(finding: Finding, modes: [String])] = []
    for (mode, _, findings) in perMode {
      for finding in findings {
        let bare = finding.with(modes: [])
        if let position = positions[bare] {
          merged[position].modes.append(mode)
        } else {
          positions[bare] = merged.count
          merged.append((bare, [mode]))
        }
      }
    }
    let order = Dictionary(files.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    return LintReport(
      modes: perMode.map(\.mode), files: files,
      findings: sorted(merged.map { $0.finding.with(modes: $0.modes) }, files: order))
  }

  /// By file, line, column; stable, and what is about no file comes last.
  static func sorted(_ findings: [Finding], files: [String: Int]) -> [Finding] {
    func rank(_ finding: Finding) -> (Int, Int, Int) {
      (finding.file.flatMap { files[$0] } ?? .max, finding.range?.line ?? .max, finding.range?.column ?? .max)
    }
    let ranks = findings.map(rank)
    let order = findings.indices.sorted { a, b in ranks[a] == ranks[b] ? a < b : ranks[a] < ranks[b] }
    return order.map { findings[$0] }
  }
}

extension Finding {
  func with(modes: [String]) -> Finding {
    Finding(
      rule: rule, severity: severity, modes: modes, file: file, range: range, key: key, message: message, help: help)
  }
}
