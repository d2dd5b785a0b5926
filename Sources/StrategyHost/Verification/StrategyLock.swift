public import Basics
internal import Glibc

/// `strategies.lock`: the digests that plugins in its folder must have. A line is `blake2b-256 HEX NAME FILE`; a plugin has
/// two, for its library and its manifest. What is not in it is not trusted.
public struct StrategyLock: Sendable {
  /// The file's name.
  public static let fileName = "strategies.lock"

  private let digests: [String: FileDigest]

  /// Nothing is trusted.
  static let empty = StrategyLock(digests: [:])

  private init(digests: [String: FileDigest]) { self.digests = digests }

  /// The digest that a file of a plugin must have; nil when it has none.
  func digest(of file: String) -> FileDigest? { digests[file] }

  /// Reads a lock file. Throws ``FailureCode/pluginRefused`` when it is not one.
  init(parsing bytes: [UInt8]) throws(Failure) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.pluginRefused, "\(StrategyLock.fileName) is not UTF-8", hint: StrategyLock.remedy)
    }
    var digests: [String: FileDigest] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 4, words[0] == FileDigest.algorithm, let digest = FileDigest(hex: words[1]),
        let name = StrategyName(String(words[2])), words[3] == name.library || words[3] == name.manifest,
        digests.updateValue(digest, forKey: String(words[3])) == nil
      else {
        throw Failure(
          .pluginRefused, "line \(index + 1) of \(StrategyLock.fileName) cannot be understood",
          hint: StrategyLock.remedy)
      }
    }
    self.digests = digests
  }

  private static let remedy = "'make build' writes the one beside the executables"

  /// Writes the lock file of a folder, for every plugin in it that has both its files, and returns their names. The
  /// build calls it; whoever can write the folder decides what is trusted in it.
  /// Throws ``FailureCode/notFound`` or ``FailureCode/inputOutput``.
  public static func write(folder path: String) throws(Failure) -> [StrategyName] {
    let folder = try TrustedFolder(path, owners: StrategyLocations.trustedUsers)
    let files = try folder.names()
    let names = files.compactMap { StrategyName(library: $0) }.filter { files.contains($0.manifest) }.sorted()
    var text = "# The digests of the plugins in this folder. A plugin that differs is not run.\n"
    for name in names {
      for file in [name.library, name.manifest] {
        let open = try folder.open(file)
        let image = try SealedImage(copying: open, name: file, limit: StrategyLimits.library)
        text += "\(FileDigest.algorithm) \(image.digest) \(name) \(file)\n"
      }
    }
    try replace(folder.path + "/" + fileName, with: Array(text.utf8))
    return names
  }

  private static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    let temporary = "\(path).\(getpid()).new"
    let file = try FileDescriptor.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o644)
    do throws(Failure) {
      try file.write(bytes)
      guard fchmod(file.raw, 0o644) == 0, unsafe rename(temporary, path) == 0 else {
        throw .system("write \(OutsideText.clean(path, limit: 300))")
      }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
  }
}

/// How much is taken from a plugin, in bytes, lines and calls.
enum StrategyLimits {
  /// The largest library.
  static let library = 64 << 20
  /// The largest manifest.
  static let manifest = 64 << 10
  /// The largest lock file.
  static let lock = 1 << 20
  /// The most host calls of one operation.
  static let calls = 4_096
  /// The most HTTP requests of one operation.
  static let requests = 256
  /// The most questions of one operation.
  static let prompts = 16
  /// The most secrets kept for one operation.
  static let secrets = 1_024
  /// The most bytes of one secret.
  static let secret = 1 << 20
  /// The most bytes of what is added to a URL's query.
  static let query = 32 << 10
  /// The most bytes of all of them together.
  static let allSecrets = 16 << 20
  /// The most log lines of one operation; what comes after is counted only.
  static let logLines = 200
  /// Seconds that a person has to sign in on a page.
  static let visit = 600
  /// Milliseconds of waiting for a person, as a device code does, that do not count.
  static let patience: Int64 = 3_600_000
  /// Milliseconds between asking a plugin to end and killing it.
  static let grace = 500
  /// The most milliseconds that a request leaves of a plugin's time, for it to say what came of a server that is silent.
  static let lastWord = 1_000
}
