internal import Basics
internal import YAML

extension CatalogReader {
  private static let commonFields = [
    "name", "group", "type", "required", "required-when", "default", "modes", "secret", "summary", "details", "example",
    "deprecated", "discouraged",
  ]

  func setting(_ node: YAMLNode) throws(Failure) -> Setting {
    let word = try node.anyFields(of: "a setting").required("type").word(of: CatalogReader.typeWords)
    let fields = try node.fields(
      of: "a setting of type \(word)", CatalogReader.commonFields + CatalogReader.ownFields(of: word))
    return Setting(
      name: try settingName(fields.required("name")), group: try fields.required("group").string(),
      type: try type(word, fields), required: try fields.optional("required")?.bool() ?? false,
      requiredWhen: try fields.optional("required-when").map(condition), defaultValue: try value(fields, "default"),
      modes: try modes(fields), secret: try fields.optional("secret")?.bool() ?? false,
      summary: try fields.required("summary").nonEmptyString(),
      details: try fields.optional("details")?.string() ?? "", example: try value(fields, "example"),
      deprecated: try deprecation(fields), discouraged: try discouraged(fields), place: node.place)
  }

  // A value as it would stand in an env file: any scalar, as it is written.
  private func value(_ fields: YAMLFields, _ name: String) throws(Failure) -> String? {
    guard let node = fields.optional(name) else { return nil }
    let text = try node.text()
    guard !text.isEmpty else {
      throw node.failure("an empty value counts as none", hint: "leave '\(name)' out, or write null")
    }
    return text
  }

  private func modes(_ fields: YAMLFields) throws(Failure) -> [String: Setting.ModeOverride] {
    var modes: [String: Setting.ModeOverride] = [:]
    for entry in try fields.optional("modes")?.entries() ?? [] {
      guard CatalogReader.isModeName(entry.name) else {
        throw entry.place.failure(
          "'\(OutsideText.clean(entry.name, limit: 80))' is not the name of a mode",
          hint: "use A-Z a-z 0-9 _ -, for example production")
      }
      let own = try entry.value.fields(of: "a mode", ["default", "required"])
      modes[entry.name] = Setting.ModeOverride(
        defaultValue: try value(own, "default"), required: try own.optional("required")?.bool())
    }
    return modes
  }

  static func isModeName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
          || $0 == 0x2D
      }
  }

  private func deprecation(_ fields: YAMLFields) throws(Failure) -> Setting.Deprecation? {
    guard let node = fields.optional("deprecated") else { return nil }
    let own = try node.fields(of: "a deprecation", ["since", "use"])
    return Setting.Deprecation(
      since: try own.required("since").text(), use: try own.optional("use").map(settingName))
  }

  private func discouraged(_ fields: YAMLFields) throws(Failure) -> [Setting.DiscouragedValue] {
    var values: [Setting.DiscouragedValue] = []
    for node in try fields.optional("discouraged")?.items() ?? [] {
      let own = try node.fields(of: "a discouraged value", ["value", "reason"])
      values.append(
        .init(value: try own.required("value").text(), reason: try own.required("reason").nonEmptyString()))
    }
    return values
  }
}
