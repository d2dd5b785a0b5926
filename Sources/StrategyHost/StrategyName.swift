internal import Basics

/// The name of a strategy: 1 to 32 of `a-z 0-9 _`. It is the only way to a plugin's files, so that no other file is ever
/// loaded.
public struct StrategyName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name.
  public let text: String

  /// Checks a name; nil when it is none.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...32).contains(bytes.count),
      bytes.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
    else { return nil }
    self.text = text
  }

  /// The name in a file's name, e.g. `basic` in `libmfs-strategy-basic.so`; nil for other files.
  init?(library file: String) {
    guard file.hasPrefix("libmfs-strategy-"), file.hasSuffix(".so") else { return nil }
    self.init(String(file.dropFirst("libmfs-strategy-".count).dropLast(".so".count)))
  }

  /// `libmfs-strategy-NAME.so`.
  public var library: String { "libmfs-strategy-\(text).so" }
  /// `mfs-strategy-NAME.yaml`.
  public var manifest: String { "mfs-strategy-\(text).yaml" }
  /// The name.
  public var description: String { text }

  /// By bytes.
  public static func < (a: StrategyName, b: StrategyName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  /// The names that belong to the toolkit: a plugin of such a name is looked for beside the executables only.
  public static let reserved = ["basic", "oidc_implicit", "oidc_code", "demo"]

  /// Whether the name belongs to the toolkit.
  public var isReserved: Bool { StrategyName.reserved.contains(text) }
}

extension Failure {
  /// There is no such plugin.
  static func notInstalled(_ name: String) -> Failure {
    let shown = OutsideText.clean(name, limit: 60)
    if StrategyName.reserved.contains(name) {
      return Failure(
        .pluginRefused, "the strategy '\(shown)' is not installed",
        hint: "it is one of mfsctl's own: see 'mfsctl strategy list' for those that came with this one")
    }
    let suggestion = EditDistance.suggestion(for: name, among: StrategyName.reserved)
    return Failure(
      .pluginRefused, "the strategy '\(shown)' is not installed",
      hint: suggestion.map { "did you mean '\($0)'?" } ?? "see 'mfsctl strategy list' for those that are")
  }
}
