/// A strict reader of JSON (RFC 8259, I-JSON of RFC 7493) for documents that decide something: UTF-8 only, no byte
/// order mark, no two members of one name in any object, and an end to size and depth. Every byte is looked at before
/// it is used.
///
/// Two names count as one when they are canonically equivalent in Unicode, as Swift compares strings.
@safe public struct JSONReader {
  let bytes: UnsafeRawBufferPointer
  private let maximumDepth: Int
  // Whether strings and numbers are kept, or only checked.
  private let keeping: Bool
  var at = 0

  private init(
    _ bytes: UnsafeRawBufferPointer, maximumSize: Int, maximumDepth: Int, keeping: Bool
  ) throws(JSONFault) {
    guard bytes.count <= maximumSize else { throw JSONFault(.size, at: maximumSize) }
    unsafe self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.keeping = keeping
    try checkEncoding()
  }

  /// Reads one document of at most `maximumSize` bytes, nested at most `maximumDepth` deep.
  public static func value(
    _ bytes: UnsafeRawBufferPointer, maximumSize: Int = 1 << 20, maximumDepth: Int = 32
  ) throws(JSONFault) -> JSONValue {
    var reader = try unsafe JSONReader(bytes, maximumSize: maximumSize, maximumDepth: maximumDepth, keeping: true)
    let value = try reader.value(depth: 1)
    try reader.end()
    return value
  }

  /// The same for an array of bytes.
  public static func value(
    _ bytes: [UInt8], maximumSize: Int = 1 << 20, maximumDepth: Int = 32
  ) throws(JSONFault) -> JSONValue {
    let result: Result<JSONValue, JSONFault> = unsafe bytes.withUnsafeBytes { buffer in
      do throws(JSONFault) {
        return .success(try unsafe value(buffer, maximumSize: maximumSize, maximumDepth: maximumDepth))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Where the members of one object stand, without a copy of any value, for a document that holds secrets: each name
  /// with the range of its value, the quotes of a string included. The document is held to the same rules.
  public static func members(
    _ bytes: UnsafeRawBufferPointer, maximumSize: Int = 1 << 20, maximumDepth: Int = 32
  ) throws(JSONFault) -> [(name: String, value: Range<Int>)] {
    var reader = try unsafe JSONReader(bytes, maximumSize: maximumSize, maximumDepth: maximumDepth, keeping: false)
    var found: [(name: String, value: Range<Int>)] = []
    reader.skipSpace()
    guard reader.take(0x7B) else { throw JSONFault(.syntax, at: reader.at) }
    try reader.members { (reader, name) throws(JSONFault) in
      reader.skipSpace()
      let start = reader.at
      _ = try reader.value(depth: 2)
      found.append((name, start..<reader.at))
    }
    try reader.end()
    return found
  }

  private func checkEncoding() throws(JSONFault) {
    var index = 0
    while unsafe index < bytes.count {
      let length = sequenceLength(at: index)
      guard length > 0 else { throw JSONFault(.encoding, at: index) }
      index += length
    }
  }

  private mutating func end() throws(JSONFault) {
    skipSpace()
    guard unsafe at == bytes.count else { throw JSONFault(.syntax, at: at) }
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
    skipSpace()
    guard depth <= maximumDepth else { throw JSONFault(.depth, at: at) }
    switch next {
    case UInt8(ascii: "{"):
      at += 1
      var found: [JSONValue.Member] = []
      try members { (reader, name) throws(JSONFault) in
        found.append(JSONValue.Member(name, try reader.value(depth: depth + 1)))
      }
      return .object(found)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string(keeping: keeping))
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  // After the brace.
  private mutating func members(
    _ member: (inout JSONReader, String) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    var names: Set<String> = []
    skipSpace()
    if take(0x7D) { return }
    while true {
      skipSpace()
      let start = at
      guard next == UInt8(ascii: "\"") else { throw JSONFault(.syntax, at: at) }
      let name = try string(keeping: true)
      guard names.insert(name).inserted else { throw JSONFault(.duplicate, at: start) }
      skipSpace()
      guard take(0x3A) else { throw JSONFault(.syntax, at: at) }
      try member(&self, name)
      skipSpace()
      if take(0x7D) { return }
      guard take(0x2C) else { throw JSONFault(.syntax, at: at) }
    }
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
    at += 1
    var items: [JSONValue] = []
    skipSpace()
    if take(0x5D) { return .array(items) }
    while true {
      items.append(try value(depth: depth + 1))
      skipSpace()
      if take(0x5D) { return .array(items) }
      guard take(0x2C) else { throw JSONFault(.syntax, at: at) }
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
    for byte in text.description.utf8 {
      guard take(byte) else { throw JSONFault(.syntax, at: at) }
    }
    return value
  }

  // -? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?
  private mutating func number() throws(JSONFault) -> JSONValue {
    let start = at
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      try digits()
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    guard keeping else { return .null }
    let text = unsafe String(decoding: bytes[start..<at], as: UTF8.self)
    if isWhole, let whole = Int64(text) { return .integer(whole) }
    return .number(text)
  }

  private mutating func digits() throws(JSONFault) {
    let start = at
    while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
    guard at > start else { throw JSONFault(.syntax, at: at) }
  }
}
