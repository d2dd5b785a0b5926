public import Basics

/// The plugins that are installed.
public struct StrategyCatalogue: Sendable {
  /// Who says that a plugin can be trusted.
  public enum Authority: Sendable, Equatable {
    /// The lock file beside it: the build's, or the administrator's.
    case lock
    /// The user, who has looked at exactly these files.
    case user
    /// The publisher whose key the user pinned; the key's id.
    case publisher(String)
  }

  /// What is known of a plugin without running it.
  public struct Entry: Sendable {
    /// Its name.
    public let name: StrategyName
    /// The path of its library.
    public let path: String
    /// Whether it is the toolkit's own.
    public let isBuiltin: Bool
    /// The digest of its library as `blake2b-256:HEX`; nil when it could not be read.
    public let digest: String?
    /// Its manifest; nil when it could not be read.
    public let manifest: StrategyManifest?
    /// Each reason why it would not be run; empty when it would. Safe to print.
    public let problems: [String]
    /// Whether it would be run.
    public var isTrusted: Bool { problems.isEmpty }
    /// Who says that it can be trusted; it counts only when it is.
    public let authority: Authority
    /// What a person can do about the problems. Safe to print.
    let remedy: String

    /// The failure for a plugin that is not trusted, every reason named; nil when it is.
    public var refusal: Failure? {
      guard !isTrusted else { return nil }
      return Failure(
        .pluginRefused, "the plugin '\(name)' is refused: \(problems.joined(separator: "; "))",
        hint: remedy)
    }
  }

  let locations: StrategyLocations

  /// The plugins of these places.
  public init(_ locations: StrategyLocations) { self.locations = locations }

  /// Every plugin, by name. Of two of one name the one that would be run is listed. Throws ``FailureCode/inputOutput``
  /// when a folder cannot be read; a folder that is missing is empty.
  public func list() throws(Failure) -> [Entry] {
    var entries: [Entry] = []
    for folder in locations.folders {
      for name in try StrategyCatalogue.names(in: folder) where !entries.contains(where: { $0.name == name }) {
        entries.append(try StrategyInspection(name, in: folder, config: locations.config).entry)
      }
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// The plugin of a name. Throws ``FailureCode/pluginRefused`` when none of that name is installed.
  public func entry(_ name: String) throws(Failure) -> Entry { try inspect(name).entry }

  /// What would be said of a library if it were installed where it stands: a file `libmfs-strategy-NAME.so`, its manifest
  /// and lock file beside it. Throws ``FailureCode/usage`` for another file name, ``FailureCode/notFound``.
  public func verify(file path: String) throws(Failure) -> Entry { try inspect(file: path).entry }

  func inspect(file path: String) throws(Failure) -> StrategyInspection {
    let slash = path.lastIndex(of: "/")
    let file = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
    let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let name = StrategyName(library: file) else {
      throw Failure(
        .usage, "'\(OutsideText.clean(file, limit: 100))' is not the name of a plugin",
        hint: "name a file libmfs-strategy-NAME.so, NAME being 1 to 32 of a-z 0-9 _")
    }
    let folder = try TrustedFolder(parent, owners: StrategyLocations.trustedUsers).path
    let known = locations.folders.first { (try? TrustedFolder($0.path, owners: $0.owners).path) == folder }
    return try StrategyInspection(
      name,
      in: known ?? .init(path: folder, isBuiltin: false, owners: StrategyLocations.trustedUsers, isLocked: false),
      config: locations.config)
  }

  /// Looks at the plugin that a name leads to: that of the first folder that has one; a bad one is not passed over.
  func inspect(_ text: String, into memory: PluginMemory? = nil) throws(Failure) -> StrategyInspection {
    guard let name = StrategyName(text) else { throw .notInstalled(text) }
    for folder in locations.folders where folder.isBuiltin || !name.isReserved {
      do throws(Failure) {
        return try StrategyInspection(name, in: folder, config: locations.config, into: memory)
      } catch {
        guard error.code == .notFound else { throw error }
      }
    }
    throw .notInstalled(text)
  }

  private static func names(in folder: StrategyLocations.Folder) throws(Failure) -> [StrategyName] {
    do throws(Failure) {
      return try TrustedFolder(folder.path, owners: folder.owners).names().compactMap { StrategyName(library: $0) }
        .filter { folder.isBuiltin || !$0.isReserved }
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }
}

extension StrategyInspection {
  /// What may be told of it.
  var entry: StrategyCatalogue.Entry {
    StrategyCatalogue.Entry(
      name: name, path: (path == "/" ? "" : path) + "/" + name.library, isBuiltin: folder.isBuiltin,
      digest: (library?.digest).map { "\(FileDigest.algorithm):\($0)" }, manifest: manifest, problems: problems,
      authority: authority, remedy: remedy)
  }

  private var remedy: String {
    if folder.isBuiltin { return "install mfsctl again, or run 'make build' where it was built" }
    if name.likeness != nil { return "give it another name; see docs/PLUGINS.md" }
    var steps = ["make sure that it is what its author gave out"]
    if isExposed { steps.append(StrategyInspection.exposedRemedy) }
    if isUnpinned {
      let file = OutsideText.clean(path == "/" ? "/\(name.library)" : "\(path)/\(name.library)", limit: 400)
      steps.append("look at what it asks for and trust it with 'mfsctl strategy trust \(file)'")
    }
    return steps.count == 1
      ? "see docs/PLUGINS.md" : steps.dropLast().joined(separator: ", ") + ", then " + (steps.last ?? "")
  }
}
