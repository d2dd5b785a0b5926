public import Basics

/// Where the value of one key comes from: every layer, what it is expanded from, what the catalog says.
public struct Explanation: Sendable {
  /// What a layer has to do with the key.
  public enum State: Sendable, Equatable {
    /// It sets the value that counts.
    case wins
    /// It sets a value that another hides.
    case shadowed
    /// It does not set the key.
    case notSet
    /// There is no such file.
    case missing
    /// It cannot be read, and why.
    case unreadable(String)
  }

  /// One layer.
  public struct Layer: Sendable {
    /// The file; nil for the process environment.
    public let file: String?
    /// What it has to do with the key.
    public let state: State
    /// The 1-based line of the assignment that counts in this file.
    public let line: Int?
    /// The value before expansion; it may be a secret.
    public let value: String?
    /// Whether the file says where it stands that it may be one.
    var isSecret = false
  }

  /// A reference in the value.
  public struct Reference: Sendable {
    /// The name that it refers to.
    public let name: String
    /// Where its value comes from: `process`, `file`, `default`, `empty`, `unset` or `itself`.
    public let from: String
    /// The assignment, when it comes from a file.
    public let place: Resolution.Place?
    /// The value; nil when it has none or its default counts.
    public let value: String?
    /// Whether its value must be masked.
    public let isSecret: Bool
    /// Whether its name may be a piece of a secret: part of a password with a `$` in it looks like a name.
    let hidesName: Bool
  }

  /// The key.
  public let key: String
  /// The mode.
  public let mode: String
  /// What it comes to; nil when nobody sets it and it has no default.
  public let value: Resolution.Value?
  /// Whether its value must be masked.
  public let isSecret: Bool
  /// The layers, highest first: the process environment, then the files.
  public let layers: [Layer]
  /// What it is expanded from, in order.
  public let references: [Reference]
  /// What the catalog says of it; nil when it is not declared.
  public let setting: Setting?
  /// Whether it is required, as things are.
  public let isRequired: Bool

  /// Explains a key. Throws ``FailureCode/notFound`` when nobody declares or sets it, and ``FailureCode/configuration``
  /// for references that go in a circle or make too much.
  public init(
    _ key: String, files: [EnvFile], mode: String, dialect: Dialect, catalog: Catalog, environment: Environment
  ) throws(Failure) {
    let resolution = try Resolution(
      files, mode: mode, dialect: dialect, catalog: catalog, environment: environment)
    let expanded = try ExpandedLayers(files, dialect: dialect, catalog: catalog, environment: environment)
    let number = expanded.layers.keys.lookUp(Array(key.utf8)[...])
    value = resolution.value(of: key)
    setting = catalog.setting(key)
    let process = environment[key]
    guard value != nil || setting != nil || process != nil else {
      let known = catalog.settings.map(\.name) + resolution.values.filter { $0.key == $0.maskedKey }.map(\.key)
      throw Failure(
        .notFound, "no file sets \(KeyText.shown(key)), and no catalog declares it",
        hint: EditDistance.suggestion(for: key, among: known).map { "did you mean '\(KeyText.shown($0))'?" })
    }
    self.key = key
    self.mode = mode
    var all: [String: String] = [:]
    for value in resolution.values where value.origin != .defaultValue { all[value.key] = value.value }
    isRequired = setting.map { catalog.isRequired($0, in: all, mode: mode) } ?? false
    layers = Explanation.layers(of: number, process: process, in: expanded)
    let isSecret =
      value?.isSecret ?? false
      || layers.contains { layer in
        let value = layer.value ?? ""
        return layer.isSecret || catalog.isSecret(name: key, value: value)
          || SecretKeys.swallowsSecret(value, catalog: catalog)
      }
    self.isSecret = isSecret
    references = Explanation.references(of: number, isSecret: isSecret, in: expanded)
  }

  private static func layers(of number: Int?, process: String?, in expanded: ExpandedLayers) -> [Layer] {
    var layers = [
      Layer(file: nil, state: process == nil ? .notSet : .wins, line: nil, value: process)
    ]
    let winner = number.map { expanded.layers.winners[$0] } ?? .none
    for (index, file) in expanded.layers.files.enumerated().reversed() {
      switch file.state {
      case .missing: layers.append(Layer(file: file.name, state: .missing, line: nil, value: nil))
      case .unreadable(let failure):
        layers.append(Layer(file: file.name, state: .unreadable(failure.message), line: nil, value: nil))
      case .read(let document, _):
        let entry = number.flatMap { number in
          document.entries.last {
            document.text.bytes[$0.key.indices] == expanded.layers.keys.bytes(number)
          }
        }
        guard let entry else {
          layers.append(Layer(file: file.name, state: .notSet, line: nil, value: nil))
          continue
        }
        let wins = process == nil && winner.file == Int32(index)
        layers.append(
          Layer(
            file: file.name, state: wins ? .wins : .shadowed, line: document.text.line(of: entry.key.start),
            value: String(decoding: entry.bytes(in: document.text), as: UTF8.self),
            isSecret: expanded.secrets[Int32(index)]?.hides(entry) ?? true))
      }
    }
    return layers
  }

  private static func references(of number: Int?, isSecret: Bool, in expanded: ExpandedLayers) -> [Reference] {
    guard let number, expanded.layers.processValue(number) == nil else { return [] }
    let secrets = SecretKeys(expanded)
    return (expanded.expander?.lookups[number] ?? []).map { lookup in
      let target = expanded.layers.keys.lookUp(Array(lookup.name.utf8)[...])
      let from =
        switch lookup.outcome {
        case .process: "process"
        case .file: "file"
        case .defaultValue: "default"
        case .empty: "empty"
        case .unset: "unset"
        case .itself: "itself"
        }
      let isSet = lookup.outcome == .process || lookup.outcome == .file
      return Reference(
        name: lookup.name, from: from,
        place: lookup.outcome == .file ? target.map { expanded.place(expanded.layers.winners[$0]) } : nil,
        value: isSet ? target.flatMap { expanded.value($0) } : nil,
        isSecret: target.map { secrets.contains($0) } ?? false,
        hidesName: isSecret && (from == "unset" || from == "default")
          || target.map { expanded.hidesName($0) } ?? false)
    }
  }
}
