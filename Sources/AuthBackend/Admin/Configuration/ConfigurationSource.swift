internal import Basics
internal import Glibc
internal import Settings
internal import YAML

/// What the configuration file and the environment say, by name; the environment wins.
struct ConfigurationSource {
  /// A value and where it stands.
  struct Entry: Equatable {
    var value: String
    var place: Place
  }

  /// A place of the file, or behind all of those the environment.
  struct Place: Comparable {
    var line: Int
    var column: Int
    var text: String

    static let environment = Place(line: .max, column: .max, text: "the environment")

    static func < (one: Place, other: Place) -> Bool { (one.line, one.column) < (other.line, other.column) }
  }

  private(set) var entries: [String: Entry] = [:]
  /// Settings whose values are neither texts nor lists of them: there is nothing to check.
  private(set) var shapeless: [ConfigurationFinding] = []
  /// What is wrong with the file itself, whatever the values are.
  private(set) var findings: [ConfigurationFinding] = []

  static let prefix = "MFS_AUTHD_"
  /// Names the file; it is no setting itself.
  static let fileVariable = "MFS_AUTHD_CONFIG"

  /// Reads both. Throws ``FailureCode/configuration`` with `file:line:column` when the file is no YAML of the strict kind or no
  /// mapping of names, ``FailureCode/notFound`` and ``FailureCode/inputOutput``.
  init(file: String?, environment: Environment) throws(Failure) {
    if let file { try read(file) }
    for (name, value) in environment.variables where name.hasPrefix(ConfigurationSource.prefix) {
      if name != ConfigurationSource.fileVariable { entries[name] = Entry(value: value, place: .environment) }
      shapeless.removeAll { $0.key == name }
    }
  }

  private mutating func read(_ file: String) throws(Failure) {
    let document = try YAMLDocument.read(file)
    for entry in try document.entries() {
      guard !entry.value.isNull else { continue }
      let value = ConfigurationSource.text(entry.value)
      entries[entry.name] = Entry(
        value: value ?? "",
        place: Place(line: entry.place.line, column: entry.place.column, text: entry.place.description))
      guard value == nil, BackendCatalog.catalog.settings.contains(where: { $0.name == entry.name }) else { continue }
      shapeless.append(
        ConfigurationFinding(
          true, entry.name, "\(entry.name) is neither a single value nor a list of them",
          "write one value, or [VALUE, VALUE] where the setting is a list"))
    }
    try checkMode(file)
  }

  private static func text(_ node: YAMLNode) -> String? {
    guard case .sequence = node.content else { return try? node.text() }
    return (try? node.texts())?.joined(separator: ",")
  }

  // A secret of the file's is one only as long as not everybody can read it.
  private mutating func checkMode(_ file: String) throws(Failure) {
    let secrets = BackendCatalog.catalog.settings.filter { $0.secret && entries[$0.name] != nil }
    guard let secret = secrets.first else { return }
    let status = try FileDescriptor.open(file, flags: O_RDONLY).status()
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o007 != 0 else { return }
    findings.append(
      ConfigurationFinding(
        true, secret.name, "\(secret.name) is a secret, and everybody can read the file that has it",
        status.st_uid == geteuid()
          ? "chmod o= \(OutsideText.clean(file, limit: 300))"
          : "\(OutsideText.clean(file, limit: 300)) belongs to \(AccessRefusal.user(status.st_uid)), who can take that right away"
      ))
  }
}

extension BackendCatalog {
  /// The catalog of the server's settings: env/backend-catalog.yaml as it was when the program was made.
  static let catalog = Catalog(
    file: "built-in catalog", groups: groups, settings: settings, rules: rules, enclave: enclave)
}
