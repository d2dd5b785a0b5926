public import Basics

/// A new plugin's project: sources, manifest, the app's folder that chooses it, a Makefile and a README. It is made of the
/// templates that are installed beside mfsctl, which are projects themselves, of a strategy called `mystrategy`.
public struct StrategyProject: Sendable {
  /// What a plugin is written in.
  public enum Language: String, Sendable, CaseIterable {
    /// Swift, with the SDK that is installed beside mfsctl.
    case swift
    /// C11, with a copy of the headers.
    case c
    /// Rust without crates, with a copy of the module.
    case rust
  }

  /// One file of a project.
  public struct File: Sendable {
    /// Its path in the project.
    public let path: String
    /// What is in it.
    public let contents: [UInt8]
  }

  /// The strategy's name.
  public let name: StrategyName
  /// What it is written in.
  public let language: Language
  /// Its files, by path.
  public let files: [File]

  // The most that is read of one template.
  private static let fileLimit = 1 << 20

  /// A project for a strategy of that name, made of what is in the folder `share` of an installation; nil for the one that
  /// the running executable belongs to. Throws
  /// ``FailureCode/usage`` for a name that no manifest may have, ``FailureCode/configuration`` when the templates are not
  /// there, ``FailureCode/inputOutput``.
  public init(name text: String, language: Language, share given: String? = nil) throws(Failure) {
    name = try StrategyProject.checked(text)
    let share = if let given { given } else { try StrategyProject.share() }
    self.language = language
    var files: [File] = []
    for part in ["common", language.rawValue] {
      for path in try StrategyProject.paths(below: "\(share)/mfsctl/templates/\(part)") {
        let bytes = try Files.read("\(share)/mfsctl/templates/\(part)/\(path)", limit: StrategyProject.fileLimit)
        let sdk = "\(share)/mfsctl/mfs-strategy-sdk"
        files.append(
          File(
            path: StrategyProject.named(path, name).replacing("dot-gitignore", with: ".gitignore"),
            contents: Array(StrategyProject.filled(String(decoding: bytes, as: UTF8.self), name, sdk: sdk).utf8)))
      }
    }
    // What it is built with is copied as it is, so that it builds where mfsctl is not installed.
    let copied: String? =
      switch language {
      case .swift: nil
      case .c: "\(share)/../include/mfs"
      case .rust: "\(share)/mfsctl/rust"
      }
    if let copied {
      for path in try StrategyProject.paths(below: copied) where !path.hasSuffix(".modulemap") {
        files.append(
          File(path: "mfs/\(path)", contents: try Files.read("\(copied)/\(path)", limit: StrategyProject.fileLimit)))
      }
    }
    self.files = files.sorted { $0.path < $1.path }
  }

  /// The folder `share` of the installation that the running executable belongs to: beside it, as a build has it, or two
  /// folders up. Throws ``FailureCode/configuration`` when it has none.
  public static func share() throws(Failure) -> String {
    let folder = Installation.executableFolder() ?? "/"
    let parts = folder.split(separator: "/")
    let above = "/" + parts.dropLast(2).joined(separator: "/")
    for candidate in [folder, above] where Files.exists("\(candidate)/share/mfsctl/templates") {
      return (candidate == "/" ? "" : candidate) + "/share"
    }
    throw Failure(
      .configuration, "what new plugins are made of is not installed: there is no share/mfsctl/templates",
      hint: "run 'make build' or 'make install' again")
  }

  private static func checked(_ text: String) throws(Failure) -> StrategyName {
    let shown = OutsideText.clean(text, limit: 60)
    guard let name = StrategyName(text) else {
      throw Failure(
        .usage, "'\(shown)' is not the name of a strategy", hint: "use 1 to 32 of a-z 0-9 _, such as 'badge'")
    }
    if let likeness = name.likeness {
      throw Failure(.usage, "the name '\(name)' \(likeness)", hint: "give it another name")
    }
    return name
  }

  private static func paths(below folder: String) throws(Failure) -> [String] {
    do throws(Failure) { return try FolderTree.files(below: folder) } catch {
      guard error.code == .notFound else { throw error }
      throw Failure(
        .configuration, "what new plugins are made of is not installed: there is no \(OutsideText.clean(folder))",
        hint: "run 'make build' or 'make install' again")
    }
  }

  private static func named(_ text: String, _ name: StrategyName) -> String {
    text.replacing("mystrategy", with: name.text).replacing("MYSTRATEGY", with: name.text.uppercased())
  }

  // The SDK's folder stands in a Swift string literal and in prose; what would end the literal is escaped.
  private static func filled(_ text: String, _ name: StrategyName, sdk: String) -> String {
    let literal = sdk.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return named(text, name).replacing("/usr/local/share/mfsctl/mfs-strategy-sdk", with: literal)
  }
}
