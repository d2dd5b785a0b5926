public import Basics

/// A value on the wire between `mfs-strategy-host` and the program that started it.
public enum WireValue: Hashable, Sendable {
  /// UTF-8 text.
  case text(String)
  /// Any bytes. In a result they are taken for a secret.
  case bytes([UInt8])
  /// A whole number.
  case integer(Int64)
  /// Yes or no.
  case boolean(Bool)
  /// A moment on the wall clock.
  case instant(Timestamp)
  /// A secret that the parent holds, by the number it gave it. Never 0.
  case secret(UInt64)
  /// Named values in an order that counts; names may repeat (HTTP headers).
  case list(WireRecord)
}

/// Named values. At the top of a message a name stands once; the order is kept.
public struct WireRecord: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One name and its value.
  public struct Field: Hashable, Sendable {
    /// 1 to ``WireLimit/name`` bytes of UTF-8.
    public let name: String
    /// The value.
    public let value: WireValue

    /// A named value.
    public init(_ name: String, _ value: WireValue) {
      self.name = name
      self.value = value
    }
  }

  /// The fields, in order.
  public var fields: [Field]

  /// A record of these fields.
  public init(_ fields: [Field] = []) { self.fields = fields }

  /// A record in the order of the literal.
  public init(dictionaryLiteral elements: (String, WireValue)...) {
    self.init(elements.map { Field($0.0, $0.1) })
  }

  /// The first value of that name.
  public subscript(_ name: String) -> WireValue? { fields.first { $0.name == name }?.value }

  /// The text of that name; nil when it is absent or something else.
  public func text(_ name: String) -> String? { if case .text(let value)? = self[name] { value } else { nil } }
  /// The bytes of that name.
  public func bytes(_ name: String) -> [UInt8]? { if case .bytes(let value)? = self[name] { value } else { nil } }
  /// The number of that name.
  public func integer(_ name: String) -> Int64? { if case .integer(let value)? = self[name] { value } else { nil } }
  /// The boolean of that name.
  public func boolean(_ name: String) -> Bool? { if case .boolean(let value)? = self[name] { value } else { nil } }
  /// The moment of that name.
  public func instant(_ name: String) -> Timestamp? { if case .instant(let value)? = self[name] { value } else { nil } }
  /// The secret's number of that name.
  public func secret(_ name: String) -> UInt64? { if case .secret(let value)? = self[name] { value } else { nil } }
  /// The list of that name.
  public func list(_ name: String) -> WireRecord? { if case .list(let value)? = self[name] { value } else { nil } }
}

/// What no side accepts more of, however it is asked. A frame beyond a limit ends the conversation.
public enum WireLimit {
  /// Bytes of a frame's body: kind and content, without the length in front.
  public static let frame = 4 << 20
  /// Bytes of a name.
  public static let name = 256
  /// Fields of one record.
  public static let fields = 1_024
  /// Records inside records; the outermost counts as 1.
  public static let depth = 3
}
