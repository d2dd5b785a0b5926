internal import Basics
internal import Glibc

/// The file with what a user trusts: `strategies.json` in the config directory, the user's own and mode 0600.
struct StrategyTrust {
  /// The file's name.
  static let fileName = "strategies.json"
  private static let limit = 1 << 20

  /// What is trusted, by name.
  private(set) var pins: [StrategyPin]

  /// Reads the file of a config directory; nothing is trusted when there is none. Throws ``FailureCode/permissions`` when
  /// somebody else could have written or read it, ``FailureCode/pluginRefused`` when it cannot be understood.
  init(folder: String) throws(Failure) {
    let path = folder + "/" + StrategyTrust.fileName
    let shown = OutsideText.clean(path, limit: 300)
    do throws(Failure) {
      let open = try TrustedFolder(folder, owners: StrategyLocations.trustedUsers)
      if let problem = open.problems.first {
        throw Failure(.permissions, problem, hint: StrategyInspection.exposedRemedy)
      }
      let file = try open.open(StrategyTrust.fileName)
      let status = try file.status()
      guard status.st_mode & S_IFMT == S_IFREG, StrategyLocations.trustedUsers.contains(status.st_uid),
        status.st_mode & 0o077 == 0
      else {
        throw Failure(
          .permissions, "\(shown) is not this user's alone, so nothing in it counts",
          hint: "look what is in it; then 'chmod 600 \(shown)', or remove it and trust again")
      }
      guard let bytes = try file.readToEnd(limit: StrategyTrust.limit), let pins = StrategyTrust.parse(bytes) else {
        throw Failure(
          .pluginRefused, "\(shown) cannot be understood, so nothing in it counts",
          hint: "a newer mfsctl may have written it: update this one; or remove it and trust again")
      }
      self.pins = pins
    } catch {
      guard error.code == .notFound else {
        guard error.code == .inputOutput else { throw error }
        throw Failure(
          .permissions, "\(shown) cannot be read, so nothing in it counts: \(error.message)",
          hint: "look whose it is; then remove it and trust again")
      }
      pins = []
    }
  }

  /// The pin of a name.
  subscript(_ name: StrategyName) -> StrategyPin? { pins.first { $0.name == name } }

  private static func parse(_ bytes: [UInt8]) -> [StrategyPin]? {
    guard let root = try? JSONReader.value(bytes, maximumSize: limit, maximumDepth: 8), root["version"] == .integer(1),
      root.members?.count == 2, let items = root["strategies"]?.items
    else { return nil }
    let pins = items.compactMap { StrategyPin($0) }
    return pins.count == items.count && Set(pins.map(\.name)).count == pins.count ? pins : nil
  }

  /// Changes the file of a config directory, one writer at a time. Throws what reading throws, and
  /// ``FailureCode/inputOutput``.
  static func change(folder: String, _ body: (inout [StrategyPin]) -> Void) throws(Failure) {
    try Files.makePrivateDirectory(folder)
    let lock = try Files.openOwn(folder + "/\(fileName).lock", flags: O_RDWR, what: "the lock file")
    guard try FileLock.acquire(lock, until: MonotonicInstant.now().advanced(bySeconds: 10)) else {
      throw Failure(.lockTimeout, "another process has been changing what is trusted for 10 seconds", hint: "try again")
    }
    var trust = try StrategyTrust(folder: folder)
    let before = trust.pins
    body(&trust.pins)
    guard trust.pins != before else { return }
    let pins = trust.pins.sorted { $0.name < $1.name }
    let document: JSONValue = ["version": 1, "strategies": .array(pins.map(\.document))]
    try Files.replace(folder + "/" + fileName, with: Array((document.text + "\n").utf8), mode: 0o600)
  }
}
