internal import Basics
internal import YAML

extension CatalogReader {
  /// A word to refer to something by: `[a-z][a-z0-9-]*`, at most 64 long.
  func identifier(_ node: YAMLNode) throws(Failure) -> String {
    let text = try node.string()
    let isGood = text.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D
    }
    guard isGood, text.utf8.count <= 64, let first = text.utf8.first, (0x61...0x7A).contains(first) else {
      throw node.failure(
        "'\(OutsideText.clean(text, limit: 80))' is not an id", hint: "use a-z 0-9 - and begin with a letter")
    }
    return text
  }

  /// The name of a setting: `[A-Za-z_][A-Za-z0-9_]*`, at most 128 long, so that every reader takes it.
  func settingName(_ node: YAMLNode) throws(Failure) -> String {
    let text = try node.string()
    guard CatalogReader.isSettingName(text) else {
      throw node.failure(
        "'\(OutsideText.clean(text, limit: 140))' is not the name of a setting",
        hint: "use A-Z a-z 0-9 _ and begin with a letter or _")
    }
    return text
  }

  static func isSettingName(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 128 else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
  }

  /// A word that is a case of a type.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ node: YAMLNode) throws(Failure) -> Choice {
    let word = try node.word(of: Choice.allCases.map(\.rawValue))
    guard let choice = Choice(rawValue: word) else { throw Failure(.bug, "'\(word)' is a word without a meaning") }
    return choice
  }

  /// `{KEY: [VALUE, ...], ...}`; a single value needs no brackets.
  func condition(_ node: YAMLNode) throws(Failure) -> SettingCondition {
    var terms: [SettingCondition.Term] = []
    for entry in try node.entries() {
      let values: [String]
      if case .sequence = entry.value.content {
        values = try entry.value.texts()
      } else {
        values = [try entry.value.text()]
      }
      guard !values.isEmpty else {
        throw entry.value.failure("a condition without values never holds", hint: "name the values")
      }
      terms.append(.init(key: entry.name, values: values))
    }
    guard !terms.isEmpty else { throw node.failure("a condition is empty", hint: "write {KEY: [value]}") }
    return SettingCondition(terms)
  }
}
