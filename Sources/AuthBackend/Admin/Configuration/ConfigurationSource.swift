internal import Basics
internal import Glibc
internal import Settings
internal import YAML

/// What the configuration file and the environment say, by name; the environment wins.
struct ConfigurationSource {
  /// A value and where it stands.
  struct Entry: Equatable {
    var value: String
    var place: String
  }

  private(set) var entries: [String: Entry] = [:]
  private(set) var findings: [ConfigurationFinding] = []

  static let prefix = "MFS_AUTHD_"
  /// Names the file; it is no setting itself.
  static let fileVariable = "MFS_AUTHD_CONFIG"

  /// Reads both. Throws ``FailureCode/configuration`` with `file:line:column` when the file is no YAML of the strict kind or no
  /// mapping of names to values, ``FailureCode/notFound`` and ``FailureCode/inputOutput``.
  init(file: String?, environment: Environment) throws(Failure) {
    if let file { try read(file) }
    for (name, value) in environment.variables where name.hasPrefix(ConfigurationSource.prefix) {
      if name != ConfigurationSource.fileVariable { entries[name] = Entry(value: value, place: "the environment") }
    }
  }

  private mutating func read(_ file: String) throws(Failure) {
    let document = try YAMLDocument.read(file)
    for entry in try document.entries() {
      let place = entry.place.description
      guard !entry.value.isNull else { continue }
      let value: String
      if case .sequence = entry.value.content {
        value = try entry.value.texts().joined(separator: ",")
      } else {
        value = try entry.value.text()
      }
      entries[entry.name] = Entry(value: value, place: place)
    }
    try checkMode(file)
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
          : "\(OutsideText.clean(file, limit: 300)) belongs to \(AccessRefusal.user(status.st_uid)), who can take that right away",
        place: entries[secret.name]?.place))
  }
}

extension BackendCatalog {
  /// The catalog of the server's settings: env/backend-catalog.yaml as it was when the program was made.
  static let catalog = Catalog(
    file: "built-in catalog", groups: groups, settings: settings, rules: rules, enclave: enclave)
}
