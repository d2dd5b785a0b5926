internal import Basics

extension SettingType {
  /// What is wrong with a value: a phrase that completes "KEY ...", and a next step. Neither repeats the value.
  public struct ValueProblem: Error, Equatable, Sendable {
    /// The phrase.
    public let phrase: String
    /// The next step; nil when the phrase says it.
    public let help: String?

    init(_ phrase: String, _ help: String? = nil) {
      self.phrase = phrase
      self.help = help
    }
  }

  /// What is wrong with a value that is not empty; nil when it is of this type.
  public func problem(with value: String) -> ValueProblem? {
    switch self {
    case .string(let limits): SettingType.size(value.utf8.count, limits, of: "bytes")
    case .enumeration(let words): SettingType.enumeration(value, words)
    case .bool: SettingType.bool(value)
    case .integer(let limits): SettingType.number(value, limits, unit: nil)
    case .duration(let unit, let limits): SettingType.number(value, limits, unit: unit.rawValue)
    case .url(let rule): rule.problem(with: value)
    case .scopes(let wanted): SettingType.scopes(value, wanted)
    case .database: SettingType.database(value)
    case .pattern(let pattern): SettingType.match(value, pattern, subject: "")
    case .list(let pattern, let limits): SettingType.list(value, pattern, limits)
    }
  }

  private static func enumeration(_ value: String, _ words: [String]) -> ValueProblem? {
    guard !words.contains(value) else { return nil }
    let known = words.map { OutsideText.clean($0, limit: 80) }.joined(separator: ", ")
    return ValueProblem("is not one of: \(known)", Hint.meant(value, among: words))
  }

  private static func bool(_ value: String) -> ValueProblem? {
    guard value != "true", value != "false" else { return nil }
    return ValueProblem("is neither true nor false", "write true or false in small letters; the app knows nothing else")
  }

  private static func number(_ value: String, _ limits: ValueLimits, unit: String?) -> ValueProblem? {
    let of = unit.map { " of \($0)" } ?? ""
    let digits = value.utf8.first == 0x2D ? value.utf8.dropFirst() : value.utf8[...]
    guard !digits.isEmpty, digits.allSatisfy(URLReference.isDigit), digits.count == 1 || digits.first != 0x30 else {
      return ValueProblem("is not a whole number\(of)", "write digits only, without leading zeros or a unit")
    }
    guard let number = Int64(value), limits.contains(number) else {
      return ValueProblem("is out of range", "use a number\(of) \(range(limits))")
    }
    return nil
  }

  static func range(_ limits: ValueLimits) -> String {
    switch (limits.minimum, limits.maximum) {
    case (let least?, let most?): "from \(least) to \(most)"
    case (let least?, nil): "from \(least)"
    case (nil, let most?): "up to \(most)"
    case (nil, nil): "that fits 64 bits"
    }
  }

  private static func size(_ count: Int, _ limits: ValueLimits, of things: String) -> ValueProblem? {
    if limits.contains(Int64(count)) { return nil }
    return ValueProblem("has \(count) \(things)", "use \(range(limits)) of them")
  }

  // scope-token (RFC 6749, 3.3): printable ASCII without the double quote and the backslash.
  private static func scopes(_ value: String, _ wanted: [String]) -> ValueProblem? {
    let scopes = value.split(separator: " ", omittingEmptySubsequences: false)
    let isGood = scopes.allSatisfy { scope in
      !scope.isEmpty && scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
    guard isGood else {
      return ValueProblem("is not a list of scopes", "write scopes separated by single blanks, in printable ASCII")
    }
    guard Set(scopes).count == scopes.count else { return ValueProblem("names a scope twice", "remove one of them") }
    for scope in wanted where !scopes.contains(scope[...]) {
      let shown = OutsideText.clean(scope, limit: 80)
      return ValueProblem("lacks the scope \(shown)", "add \(shown)")
    }
    return nil
  }

  private static func database(_ value: String) -> ValueProblem? {
    let allowed = value.utf8.allSatisfy {
      (0x61...0x7A).contains($0) || URLReference.isDigit($0) || Array("_$()+-".utf8).contains($0)
    }
    guard allowed, value.utf8.count <= 240, let first = value.utf8.first, (0x61...0x7A).contains(first) else {
      return ValueProblem(
        "is not the name of a database",
        "begin with a lower-case letter; go on with lower-case letters, digits and _ $ ( ) + -; 240 at most")
    }
    return nil
  }

  private static func match(_ value: String, _ pattern: String, subject: String) -> ValueProblem? {
    // A pattern that cannot be read is the catalog's fault, and its self-check says so.
    guard let compiled = try? Pattern(pattern), !compiled.matches(value) else { return nil }
    return ValueProblem(subject + "does not match the pattern \(OutsideText.clean(pattern, limit: 200))")
  }

  private static func list(_ value: String, _ pattern: String?, _ limits: ValueLimits) -> ValueProblem? {
    let items = value.split(separator: ",", omittingEmptySubsequences: false)
    guard items.allSatisfy({ !$0.isEmpty && $0.first != " " && $0.last != " " }) else {
      return ValueProblem("is not a list", "write items separated by single commas, without blanks around them")
    }
    guard Set(items).count == items.count else { return ValueProblem("names an item twice", "remove one of them") }
    if let problem = size(items.count, limits, of: "items") { return problem }
    guard let pattern, let compiled = try? Pattern(pattern) else { return nil }
    guard let wrong = items.firstIndex(where: { !compiled.matches($0) }) else { return nil }
    return ValueProblem(
      "has an item, number \(wrong + 1), that does not match \(OutsideText.clean(pattern, limit: 200))")
  }
}
