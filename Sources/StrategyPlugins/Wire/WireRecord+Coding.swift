internal import Basics

// A record is a 16-bit count of fields; a field is a 16-bit length and the name, a kind byte, and a 32-bit length and the
// value. Each value has exactly one encoding, so that equal records are equal bytes.
extension WireRecord {
  func encode(into writer: inout ByteWriter, depth: Int = 1) throws(Failure) {
    guard depth <= WireLimit.depth, fields.count <= WireLimit.fields else {
      throw .wire("a record is too deep or has too many fields")
    }
    writer.put(UInt16(fields.count))
    for field in fields {
      let name = field.name.utf8
      guard (1...WireLimit.name).contains(name.count) else { throw .wire("a field's name is empty or too long") }
      writer.put(UInt16(name.count))
      writer.put(raw: name)
      writer.put(field.value.kind.rawValue)
      switch field.value {
      case .text(let text): writer.put(block: text.utf8)
      case .bytes(let bytes): writer.put(block: bytes)
      case .integer(let number): writer.put(number: UInt64(bitPattern: number))
      case .instant(let time): writer.put(number: UInt64(bitPattern: time.seconds))
      case .secret(let handle): writer.put(number: handle)
      case .boolean(let flag): writer.put(block: CollectionOfOne<UInt8>(flag ? 1 : 0))
      case .list(let record):
        var inner = ByteWriter()
        try record.encode(into: &inner, depth: depth + 1)
        writer.put(block: inner.bytes)
      }
    }
  }

  init(from reader: inout WireReader, depth: Int = 1) throws(Failure) {
    guard depth <= WireLimit.depth else { throw .wire("a record is too deep") }
    let count = Int(try reader.number(UInt16.self))
    guard count <= WireLimit.fields else { throw .wire("a record has too many fields") }
    var fields: [Field] = []
    var names: Set<String> = []
    for _ in 0..<count {
      let length = Int(try reader.number(UInt16.self))
      guard (1...WireLimit.name).contains(length) else { throw .wire("a field's name is empty or too long") }
      let name = try reader.text(try reader.take(length))
      guard let kind = WireValue.Kind(rawValue: try reader.number(UInt8.self)) else {
        throw .wire("a value is of an unknown kind")
      }
      let value = try WireValue(kind, try reader.block(), depth: depth)
      guard depth > 1 || names.insert(name).inserted else { throw .wire("a field stands twice") }
      fields.append(Field(name, value))
    }
    self.init(fields)
  }
}

extension ByteWriter {
  fileprivate mutating func put(number: UInt64) {
    put(UInt32(8))
    put(number)
  }
}

extension WireValue {
  enum Kind: UInt8 {
    case text = 1, bytes, integer, boolean, instant, secret, list
  }

  var kind: Kind {
    switch self {
    case .text: .text
    case .bytes: .bytes
    case .integer: .integer
    case .boolean: .boolean
    case .instant: .instant
    case .secret: .secret
    case .list: .list
    }
  }

  fileprivate init(_ kind: Kind, _ block: ArraySlice<UInt8>, depth: Int) throws(Failure) {
    var reader = WireReader(block)
    switch kind {
    case .text: self = .text(try reader.text(try reader.take(block.count)))
    case .bytes: self = .bytes(Array(try reader.take(block.count)))
    case .integer: self = .integer(Int64(bitPattern: try reader.number(UInt64.self)))
    case .instant: self = .instant(Timestamp(seconds: Int64(bitPattern: try reader.number(UInt64.self))))
    case .boolean:
      let byte = try reader.number(UInt8.self)
      guard byte <= 1 else { throw .wire("a boolean is neither 0 nor 1") }
      self = .boolean(byte == 1)
    case .secret:
      let handle = try reader.number(UInt64.self)
      guard handle != 0 else { throw .wire("a secret has no number") }
      self = .secret(handle)
    case .list: self = .list(try WireRecord(from: &reader, depth: depth + 1))
    }
    try reader.end()
  }
}
