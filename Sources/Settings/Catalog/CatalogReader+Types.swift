internal import Basics
internal import YAML

extension CatalogReader {
  /// The words of the types.
  static let typeWords = [
    "bool", "database", "duration", "enum", "integer", "list", "pattern", "scopes", "string", "url",
  ]

  /// The fields that a type has of its own.
  static func ownFields(of type: String) -> [String] {
    switch type {
    case "duration": ["unit", "min", "max"]
    case "enum": ["values"]
    case "integer", "string": ["min", "max"]
    case "list": ["pattern", "min", "max"]
    case "pattern": ["pattern"]
    case "scopes": ["contains"]
    case "url": ["schemes", "components"]
    default: []
    }
  }

  func type(_ word: String, _ fields: YAMLFields) throws(Failure) -> SettingType {
    switch word {
    case "enum": return .enumeration(try words(fields.required("values")))
    case "bool": return .bool
    case "integer": return .integer(try limits(fields))
    case "duration": return .duration(try choice(fields.required("unit")), try limits(fields))
    case "url": return .url(try urlRule(fields))
    case "scopes": return .scopes(containing: try fields.optional("contains").map(words) ?? [])
    case "database": return .database
    case "pattern": return .pattern(try fields.required("pattern").nonEmptyString())
    case "list":
      return .list(itemPattern: try fields.optional("pattern")?.nonEmptyString(), try limits(fields, atLeast: 0))
    default: return .string(try limits(fields, atLeast: 0))
    }
  }

  private func limits(_ fields: YAMLFields, atLeast least: Int64 = .min) throws(Failure) -> ValueLimits {
    let minimum = try fields.optional("min")?.integer(in: least ... .max)
    let maximum = try fields.optional("max")?.integer(in: least ... .max)
    if let minimum, let maximum, minimum > maximum {
      throw (fields.optional("max")?.place ?? fields.place).failure(
        "max is less than min", hint: "no value can be right; swap them")
    }
    return ValueLimits(minimum: minimum, maximum: maximum)
  }

  private func urlRule(_ fields: YAMLFields) throws(Failure) -> URLRule {
    let schemes = try fields.required("schemes")
    for node in try schemes.items() {
      let scheme = try node.string()
      guard URLReference.isScheme(scheme), scheme == scheme.lowercased() else {
        throw node.failure(
          "'\(OutsideText.clean(scheme, limit: 40))' is not a URL scheme", hint: "write one like https, in lower case")
      }
    }
    guard let node = fields.optional("components") else { return URLRule(schemes: try words(schemes)) }
    var components: [URLRule.Component] = []
    for item in try node.items() { components.append(try choice(item)) }
    guard components.contains(.scheme), components.contains(.host) else {
      throw node.failure("every URL has a scheme and a host", hint: "add scheme and host")
    }
    return URLRule(schemes: try words(schemes), components: components)
  }

  // Some words, each once.
  private func words(_ node: YAMLNode) throws(Failure) -> [String] {
    var words: [String] = []
    for item in try node.items() {
      let word = try item.text()
      guard !word.isEmpty, !words.contains(word) else {
        throw item.failure(
          word.isEmpty ? "this word is empty" : "'\(OutsideText.clean(word, limit: 80))' stands here twice",
          hint: "remove it")
      }
      words.append(word)
    }
    guard !words.isEmpty else { throw node.failure("this list is empty", hint: "name at least one") }
    return words
  }
}
