internal import Basics

/// A row that a statement stands at, read from its first column on.
struct Row {
  private let statement: Statement
  private var column: Int32 = 0
  /// Whether something was in it that nothing of ours writes.
  private(set) var isOdd = false

  init(_ statement: Statement) { self.statement = statement }

  private mutating func next() -> Int32 {
    defer { column += 1 }
    return column
  }

  mutating func integer() -> Int64 { statement.integer(next()) }
  mutating func text() -> String { statement.text(next()) }
  mutating func blob() -> [UInt8] { statement.blob(next()) }
  mutating func bool() -> Bool { integer() != 0 }
  mutating func time() -> Timestamp { Timestamp(seconds: integer()) }

  mutating func optional<T>(_ read: (inout Row) -> T) -> T? {
    if statement.isNull(column) {
      column += 1
      return nil
    }
    return read(&self)
  }

  mutating func optionalText() -> String? { optional { $0.text() } }
  mutating func optionalTime() -> Timestamp? { optional { $0.time() } }

  mutating func hash() -> KeyedHash {
    let pepper = integer()
    return KeyedHash(pepper: pepper, bytes: blob())
  }

  /// The inverse of ``SQLValue/scopes(_:)``.
  mutating func scopes() -> [String] {
    let text = text().utf8
    var scopes: [String] = [], rest = text[...]
    while let blank = rest.firstIndex(of: 0x20) {
      if blank > rest.startIndex { scopes.append(String(Substring(rest[..<blank]))) }
      rest = rest[text.index(after: blank)...]
    }
    if !rest.isEmpty { scopes.append(String(Substring(rest))) }
    return scopes
  }

  mutating func json() -> JSONValue {
    do throws(JSONFault) { return try JSONReader.value(Array(text().utf8), maximumSize: 1 << 24) } catch {
      isOdd = true
      return .null
    }
  }

  mutating func strings() -> [String] {
    guard let texts = json().strings else {
      isOdd = true
      return []
    }
    return texts
  }

  /// The members of an object.
  mutating func members() -> [JSONValue.Member] {
    guard let members = json().members else {
      isOdd = true
      return []
    }
    return members
  }

  /// An object whose values are texts.
  mutating func texts() -> [String: String] {
    var texts: [String: String] = [:]
    for member in members() {
      if let text = member.value.string { texts[member.name] = text } else { isOdd = true }
    }
    return texts
  }

  /// An array of pairs of texts, in which a name may come twice.
  mutating func pairs() -> [(name: String, value: String)] {
    guard let items = json().items else {
      isOdd = true
      return []
    }
    var pairs: [(name: String, value: String)] = []
    for item in items {
      if let pair = item.strings, pair.count == 2 { pairs.append((pair[0], pair[1])) } else { isOdd = true }
    }
    return pairs
  }

  /// A case by its raw value; `fallback` stands in for what cannot be, until the row is given up.
  mutating func choice<T: RawRepresentable<String>>(_ fallback: T) -> T {
    guard let value = T(rawValue: text()) else {
      isOdd = true
      return fallback
    }
    return value
  }
}
