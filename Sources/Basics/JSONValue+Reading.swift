extension JSONValue {
  /// The first member of that exact name; nil when this is no object or has none. Byte for byte: Unicode's canonical
  /// equivalence, by which Swift compares strings, does not count.
  public subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The members, when this is an object.
  public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The items, when this is an array.
  public var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

  /// The text, when this is a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The texts, when this is an array of strings only.
  public var strings: [String]? {
    guard let items else { return nil }
    let texts = items.compactMap(\.string)
    return texts.count == items.count ? texts : nil
  }
}
