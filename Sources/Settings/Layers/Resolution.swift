public import Basics

/// What the app reads in a mode: every key that a file sets, and every declared key with a process value or a default.
public struct Resolution: Sendable {
  /// An assignment in a file.
  public struct Place: Hashable, Sendable {
    /// The file's name.
    public let file: String
    /// The 1-based line of the key.
    public let line: Int
  }

  /// Where a value comes from.
  public enum Origin: Hashable, Sendable {
    /// The highest file that sets it.
    case file(Place)
    /// The process environment, which is above every file.
    case process
    /// The catalog's default.
    case defaultValue
  }

  /// The value of one key.
  public struct Value: Sendable {
    /// The key.
    public let key: String
    /// The value, after expansion. It may be a secret: see ``isSecret``.
    public let value: String
    /// Where it comes from.
    public let origin: Origin
    /// The assignments that it hides, highest first.
    public let shadowed: [Place]
    /// Whether it must be masked wherever it is shown: the key or a key it refers to is a secret, or it looks like one.
    public let isSecret: Bool
    /// What stands for a name that may be a piece of a secret; nil for a name that may be shown.
    let hiddenName: String?

    /// The value as it may be shown.
    public var masked: String { isSecret ? Resolution.mask : value }

    /// The key as it may be shown beside ``masked``: a name that goes over into a value is cut, and one that stands where
    /// a secret may go on is masked (`********`, `******** 2` and so on).
    public var maskedKey: String {
      if let hiddenName { return hiddenName }
      return isSecret && KeyText.valueStart(in: Array(key.utf8)[...]) != nil ? KeyText.shown(key) : key
    }
  }

  /// What stands for a secret.
  public static let mask = "********"

  /// The mode.
  public let mode: String
  /// The values, in the order of the keys' bytes.
  public let values: [Value]
  /// Files of the stack that are there and cannot be read; the app passes over them in silence.
  public let unreadable: [(file: String, failure: Failure)]

  /// The value of a key; nil when it has none.
  public subscript(_ key: String) -> String? { value(of: key)?.value }

  /// What is known of a key's value; nil when it has none.
  public func value(of key: String) -> Value? { values.first { $0.key == key } }

  /// Resolves the settings of an app's folder in a mode, as the app reads them. Throws ``FailureCode/configuration``
  /// for references that go in a circle or make too much, and ``FailureCode/usage`` for a mode that is none.
  public static func load(
    directory: String, mode: String, dialect: Dialect = .expo, catalog: Catalog, environment: Environment
  ) throws(Failure) -> Resolution {
    try Layers.check(mode: mode)
    let files = Layers.load(directory: directory, mode: mode, dialect: dialect)
    return try Resolution(files, mode: mode, dialect: dialect, catalog: catalog, environment: environment)
  }

  /// Resolves a stack of files, lowest first. Throws as ``load(directory:mode:dialect:catalog:environment:)`` does.
  public init(
    _ files: [EnvFile], mode: String, dialect: Dialect, catalog: Catalog, environment: Environment
  ) throws(Failure) {
    let expanded = try ExpandedLayers(files, dialect: dialect, catalog: catalog, environment: environment)
    if let cycle = expanded.cycles.first {
      throw Failure(
        .configuration, "\(ExpandedLayers.describe(cycle)): the app's command crashes on it",
        hint: "break the circle; 'mfsctl env lint' shows where it is")
    }
    self.mode = mode
    values = expanded.values(mode: mode)
    unreadable = files.compactMap { file in
      if case .unreadable(let failure) = file.state { (file.name, failure) } else { nil }
    }
  }
}
