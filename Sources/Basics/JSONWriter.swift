/// Writes a JSON object (RFC 8259) as bytes, member after member: what is written thousands of times a second, such as the claims of
/// tokens and lines of a log. The text is the same as ``JSONValue/text``.
public struct JSONWriter: Sendable {
  /// What is written so far.
  public private(set) var bytes: [UInt8]

  /// An object without members yet; `capacity` is about how many bytes it will have.
  public init(capacity: Int = 640) {
    bytes = []
    bytes.reserveCapacity(capacity)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Adds a string. A name that is given as a literal must need no escape.
  public mutating func add(_ name: StaticString, _ text: String) {
    begin(name)
    quote(text)
  }

  /// Adds a string of letters, digits and signs that need no escape, which are not looked at: a token in the compact form.
  public mutating func add(_ name: StaticString, plain text: String) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Adds a whole number.
  public mutating func add(_ name: StaticString, _ number: Int64) {
    begin(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Adds a moment as seconds since 1970 (RFC 7519's NumericDate).
  public mutating func add(_ name: StaticString, _ moment: Timestamp) { add(name, moment.seconds) }

  /// Adds one string, or an array when there are more or none.
  public mutating func add(_ name: StaticString, oneOrMore texts: [String]) {
    begin(name)
    if texts.count == 1 { return quote(texts[0]) }
    bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      quote(text)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds any value.
  public mutating func add(_ name: String, value: JSONValue) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    if case .string(let text) = value { quote(text) } else { bytes.append(contentsOf: value.text.utf8) }
  }

  /// The whole object.
  public consuming func object() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The whole object and a line end.
  public consuming func line() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private mutating func begin(_ name: StaticString) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func quote(_ text: String) {
    var text = text
    let isPlain = text.withUTF8 { buffer in
      // Without a way out, so that many bytes are looked at at once.
      let odd = unsafe buffer.reduce(into: UInt8(0)) { odd, byte in
        odd |= byte < 0x20 || byte >= 0x7F || byte == 0x22 || byte == 0x5C ? 1 : 0
      }
      guard odd == 0 else { return false }
      bytes.append(UInt8(ascii: "\""))
      unsafe bytes.append(contentsOf: buffer)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
    if !isPlain { bytes.append(contentsOf: JSONValue.string(text).text.utf8) }
  }
}
