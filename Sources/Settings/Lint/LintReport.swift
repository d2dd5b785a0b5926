internal import Basics

/// What a linter found.
public struct LintReport: Sendable {
  /// The modes that were looked at.
  public let modes: [String]
  /// The files that were there, lowest first, those that no mode reads last.
  public let files: [EnvFile]
  /// The findings: by file, line and column, those about what is absent last.
  public let findings: [Finding]

  /// What was found beyond ``limit`` findings.
  public let omitted: Omitted

  /// How many findings are errors, the omitted included.
  public var errors: Int { findings.count { $0.severity == .error } + omitted.errors }
  /// How many findings are warnings, the omitted included.
  public var warnings: Int { findings.count { $0.severity == .warning } + omitted.warnings }

  /// More findings than this are counted, and not kept: nobody reads more, and a hostile file must not fill the memory.
  public static let limit = 50_000

  /// Findings that were only counted.
  public struct Omitted: Sendable, Equatable {
    /// The errors.
    public private(set) var errors = 0
    /// The warnings.
    public private(set) var warnings = 0

    /// All of them.
    public var count: Int { errors + warnings }

    mutating func count(_ severity: Severity, _ count: Int = 1) {
      switch severity {
      case .error: errors += count
      case .warning: warnings += count
      case .off: break
      }
    }
  }

  /// Merges what was found in each mode: a finding that several share says so.
  static func merging(
    _ perMode: [(mode: String, files: [EnvFile], findings: [Finding], omitted: Omitted)]
  ) -> LintReport {
    // Nobody can tell which of them several modes share.
    let omitted = perMode.map(\.omitted).max { $0.count < $1.count } ?? Omitted()
    var files: [EnvFile] = []
    for file in perMode.flatMap(\.files) where !files.contains(where: { $0.name == file.name }) { files.append(file) }
    guard perMode.count > 1 else {
      return LintReport(
        modes: perMode.map(\.mode), files: files, findings: perMode.flatMap(\.findings), omitted: omitted)
    }
    var positions: [Finding: Int] = [:]
    var merged: [(finding: Finding, modes: [String])] = []
    for (mode, _, findings, _) in perMode {
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
      findings: sorted(merged.map { $0.finding.with(modes: $0.modes) }, files: order), omitted: omitted)
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
