internal import Basics

/// Merged layers with their references expanded: what linting, resolving and explaining all look at.
struct ExpandedLayers {
  let layers: MergedLayers
  let expander: Expander?
  let catalog: Catalog
  /// What must not be shown of each file.
  let secrets: SecretTexts
  /// How many keys the catalog declares; their numbers come first, in the catalog's order.
  let declaredCount: Int

  /// Throws ``FailureCode/configuration`` when the expansion makes too much.
  init(_ files: [EnvFile], dialect: Dialect, catalog: Catalog, environment: Environment) throws(Failure) {
    let layers = MergedLayers(files, known: catalog.settings.map(\.name), environment: environment)
    self.layers = layers
    self.catalog = catalog
    secrets = SecretTexts(layers.documents, catalog: catalog)
    declaredCount = Set(catalog.settings.map(\.name)).count
    guard dialect.expands else {
      expander = nil
      return
    }
    var expander = Expander(layers)
    try expander.run()
    self.expander = expander
  }

  /// The keys of each circle of references, as they may be shown.
  var cycles: [[String]] { (expander?.cycles ?? []).map { $0.map(shownName) } }

  /// Whether a key's name may be a piece of a secret.
  func hidesName(_ number: Int) -> Bool {
    guard number >= declaredCount, let (_, entry) = layers.entry(layers.winners[number]) else { return false }
    return secrets[layers.winners[number].file]?.hidesName(entry.key) ?? false
  }

  /// A key's name as it may be shown.
  func shownName(_ number: Int) -> String {
    hidesName(number) ? Resolution.mask : KeyText.shown(layers.keys.name(number))
  }

  static func describe(_ cycle: [String]) -> String {
    guard cycle.count > 1, let first = cycle.first else { return "\(cycle.first ?? "a key") refers to itself" }
    let shown = cycle.prefix(6)
    let rest = cycle.count > shown.count ? " -> ..." : ""
    return "references go in a circle: \(shown.joined(separator: " -> "))\(rest) -> \(first)"
  }

  /// The value of a key as the app reads it, the catalog's default left out; nil when nobody sets it.
  func value(_ number: Int) -> String? {
    if let process = layers.processValue(number) { return process }
    let bytes = expander?.current(number) ?? layers.fileValue(number)
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every key that a file sets, and the declared ones that the process sets or that have a default.
  func values(mode: String) -> [Resolution.Value] {
    let places = shadowedPlaces()
    let secrets = SecretKeys(self)
    let numbers = layers.winners.indices.filter { $0 < declaredCount || layers.winners[$0] != .none }
    let sorted = numbers.sorted { layers.keys.bytes($0).lexicographicallyPrecedes(layers.keys.bytes($1)) }
    var hiddenNames = 0
    return sorted.compactMap { number in
      let key = layers.keys.name(number)
      var hiddenName: String?
      if hidesName(number) {
        hiddenNames += 1
        hiddenName = Resolution.mask + (hiddenNames == 1 ? "" : " \(hiddenNames)")
      }
      let lost = places[number] ?? []
      if let process = layers.processValue(number) {
        let winner = layers.winners[number] == .none ? [] : [place(layers.winners[number])]
        return Resolution.Value(
          key: key, value: process, origin: .process, shadowed: winner + lost,
          isSecret: secrets.contains(number), hiddenName: hiddenName)
      }
      if layers.winners[number] != .none {
        return Resolution.Value(
          key: key, value: value(number) ?? "", origin: .file(place(layers.winners[number])), shadowed: lost,
          isSecret: secrets.contains(number), hiddenName: hiddenName)
      }
      guard let standard = catalog.setting(key)?.defaultValue(in: mode) else { return nil }
      return Resolution.Value(
        key: key, value: standard, origin: .defaultValue, shadowed: [],
        isSecret: catalog.isSecret(name: key, value: standard), hiddenName: nil)
    }
  }

  func place(_ slot: MergedLayers.Slot) -> Resolution.Place {
    guard let (document, entry) = layers.entry(slot) else { return Resolution.Place(file: "", line: 0) }
    return Resolution.Place(
      file: layers.files[Int(slot.file)].name, line: document.text.line(of: entry.key.start))
  }

  /// Per key, the assignments of files that do not count, highest first.
  private func shadowedPlaces() -> [Int: [Resolution.Place]] {
    var places: [Int: [Resolution.Place]] = [:]
    for (file, document) in layers.documents.enumerated().reversed() {
      guard let document else { continue }
      for (index, entry) in document.entries.enumerated().reversed() {
        let slot = MergedLayers.Slot(file: Int32(file), entry: Int32(index))
        guard let number = layers.keys.lookUp(document.text.bytes[entry.key.indices]), layers.winners[number] != slot
        else { continue }
        places[number, default: []].append(place(slot))
      }
    }
    return places
  }
}
