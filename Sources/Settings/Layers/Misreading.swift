internal import Basics

/// Where a reader's bug makes the app read something else than a line means.
public struct Misreading: Sendable {
  /// The file.
  public let file: String
  /// The 1-based line.
  public let line: Int
  /// What happens, without a value.
  public let message: String
  /// What to do about it.
  public let help: String?

  /// The misreadings of a stack of files; the catalog says which names are none of a secret's pieces.
  public static func all(in files: [EnvFile], catalog: Catalog) -> [Misreading] {
    files.flatMap { file -> [Misreading] in
      guard let document = file.document else { return [] }
      let problems = document.problems.filter(\.changesMeaning)
      guard !problems.isEmpty else { return [] }
      let secrets = SecretText(document, catalog: catalog)
      return problems.map { problem in
        let key = problem.key.map(secrets.shownName)
        let finding = ReaderFinding(problem.kind, key: key ?? "")
        return Misreading(
          file: file.name, line: document.text.line(of: problem.range.start), message: finding.message,
          help: finding.help)
      }
    }
  }
}

extension Resolution {
  /// The keys that another reading of the same files gives another value, or none.
  public func differences(from other: Resolution) -> [String] {
    let mine = Dictionary(values.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    let theirs = Dictionary(other.values.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    return Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
  }
}
