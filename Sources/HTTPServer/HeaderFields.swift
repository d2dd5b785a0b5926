/// The header fields of a message, in order, repeated ones kept (RFC 9110 5).
public struct HeaderFields: Sendable, Equatable {
  /// One field.
  public struct Field: Sendable, Equatable {
    /// The name as it was written; names are compared without regard to case.
    public let name: String
    /// The value without surrounding blanks; bytes that are not UTF-8 are U+FFFD.
    public let value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Every field in order.
  public private(set) var fields: [Field]

  /// Fields in order.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// The value of the first field of a name; nil when there is none.
  public func first(_ name: String) -> String? { fields.first { HeaderFields.isSame($0.name, name) }?.value }

  /// The values of every field of a name, in order.
  public func all(_ name: String) -> [String] { fields.filter { HeaderFields.isSame($0.name, name) }.map(\.value) }

  /// Adds a field after those that are there.
  public mutating func add(_ name: String, _ value: String) { fields.append(Field(name, value)) }

  /// Replaces every field of a name by one.
  public mutating func set(_ name: String, _ value: String) {
    fields.removeAll { HeaderFields.isSame($0.name, name) }
    add(name, value)
  }

  /// Whether two names are the same (RFC 9110 5.1).
  static func isSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    var b = b.utf8.makeIterator()
    for byte in a.utf8 {
      guard let other = b.next(), lower(byte) == lower(other) else { return false }
    }
    return true
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
  /// Fields in this order; a name may stand more than once.
  public init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { Field($0.0, $0.1) }) }
}
