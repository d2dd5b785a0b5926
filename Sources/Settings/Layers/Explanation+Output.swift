public import Basics

extension Explanation {
  private func shown(_ value: String, isSecret: Bool, reveal: Bool) -> String {
    isSecret && !reveal ? Resolution.mask : value
  }

  /// The explanation as JSON; secrets are masked unless `reveal`.
  public func json(reveal: Bool) -> JSONValue {
    [
      "key": .string(key), "mode": .string(mode),
      "value": .optional(value.map { shown($0.value, isSecret: isSecret, reveal: reveal) }),
      "masked": .bool(isSecret && !reveal && value != nil),
      "layers": .array(
        layers.map { layer in
          [
            "layer": .string(layer.file == nil ? "process" : "file"), "file": .optional(layer.file),
            "state": .string(layer.state.word), "line": layer.line.map { .number($0) } ?? .null,
            "value": .optional(layer.value.map { shown($0, isSecret: isSecret, reveal: reveal) }),
          ]
        }),
      "references": .array(
        references.map { reference in
          [
            "name": .string(reference.hidesName && !reveal ? Resolution.mask : reference.name),
            "from": .string(reference.from), "file": .optional(reference.place?.file),
            "line": reference.place.map { .number($0.line) } ?? .null,
            "value": .optional(reference.value.map { shown($0, isSecret: reference.isSecret, reveal: reveal) }),
          ]
        }),
      "catalog": setting.map { setting in
        [
          "type": .string(setting.type.word), "required": .bool(isRequired),
          "default": .optional(setting.defaultValue(in: mode)), "secret": .bool(setting.secret),
          "group": .string(setting.group), "summary": .string(setting.summary),
        ]
      } ?? .null,
    ]
  }

  /// The explanation for people.
  public func text(reveal: Bool) -> String {
    func clean(_ value: String, isSecret: Bool) -> String {
      let text = shown(value, isSecret: isSecret, reveal: reveal)
      return text.isEmpty ? "(empty)" : OutsideText.clean(text)
    }
    var out = "\(KeyText.shown(key)) in mode \(OutsideText.clean(mode, limit: 64)): "
    out += value.map { clean($0.value, isSecret: isSecret) } ?? "has no value"
    if value?.origin == .defaultValue { out += " (the catalog's default)" }
    out += "\n\nLayers, highest first\n"
    let names = layers.map { $0.file.map { OutsideText.clean($0) } ?? "process environment" }
    let width = names.map(\.unicodeScalars.count).max() ?? 0
    for (layer, name) in zip(layers, names) {
      out += "  \(name)\(String(repeating: " ", count: width - name.unicodeScalars.count + 2))"
      switch layer.state {
      case .missing: out += "no such file"
      case .notSet: out += "not set"
      case .unreadable(let why): out += "cannot be read: \(why)"
      case .wins, .shadowed:
        out += layer.line.map { "line \($0): " } ?? ""
        out += "\(clean(layer.value ?? "", isSecret: isSecret))  (\(layer.state == .wins ? "counts" : "hidden"))"
      }
      out += "\n"
    }
    if !references.isEmpty { out += "\nExpanded from\n" }
    for reference in references {
      out += "  \(reference.hidesName && !reveal ? Resolution.mask : KeyText.shown(reference.name)): "
      let place = reference.place.map { "\(OutsideText.clean($0.file)):\($0.line)" }
      let value = reference.value.map { clean($0, isSecret: reference.isSecret) } ?? ""
      switch reference.from {
      case "file": out += "\(value)  (\(place ?? "a file"))"
      case "process": out += "\(value)  (process environment)"
      case "default": out += "nothing, so its default counts"
      case "empty": out += "is empty"
      case "itself": out += "is this key itself, which gives nothing"
      default: out += "is set nowhere"
      }
      out += "\n"
    }
    return out + catalogText
  }

  private var catalogText: String {
    guard let setting else { return "\nThe catalog does not declare it.\n" }
    // A summary must not begin a line, blanks or not: a CI log would take `::error::` for a command.
    var out = "\nThe catalog says\n  summary: \(OutsideText.clean(setting.summary))\n"
    out += "  type \(setting.type.word), \(isRequired ? "required" : "not required")"
    if let standard = setting.defaultValue(in: mode) { out += ", default \(OutsideText.clean(standard, limit: 80))" }
    return out + (setting.secret ? ", secret\n" : "\n")
  }
}

extension Explanation.State {
  /// The word in JSON.
  var word: String {
    switch self {
    case .wins: "wins"
    case .shadowed: "shadowed"
    case .notSet: "not-set"
    case .missing: "missing"
    case .unreadable: "unreadable"
    }
  }
}
