internal import Basics

/// A strict reader of CBOR for documents that decide something: of RFC 8949 what WebAuthn's documents use, which is integers, byte
/// and text strings, arrays, maps, booleans and null. Lengths are given and in their shortest form (RFC 8949 4.2.1), map keys are
/// numbers or texts and none stands twice, and size, depth and number of items have an end. The order of map keys is not looked at.
struct CBORReader {
  /// The most items in one document, members and keys of maps included.
  static let maximumItems = 1_024

  private var bytes: ByteReader<ArraySlice<UInt8>>
  private let maximumDepth: Int
  private var items = 0

  /// Reads one document of at most `maximumSize` bytes, nested at most `maximumDepth` deep, and nothing after it.
  static func value(_ bytes: [UInt8], maximumSize: Int, maximumDepth: Int = 8) throws(CBORFault) -> CBORValue {
    guard bytes.count <= maximumSize else { throw CBORFault(.size, at: maximumSize) }
    var reader = CBORReader(bytes: ByteReader(bytes[...]), maximumDepth: maximumDepth)
    let value = try reader.value(depth: 1)
    guard reader.bytes.remaining == 0 else { throw CBORFault(.trailing, at: reader.bytes.offset) }
    return value
  }

  /// Reads documents that stand one after the other (RFC 8742), held to the same limits together.
  static func sequence(_ bytes: [UInt8], maximumSize: Int, maximumDepth: Int = 8) throws(CBORFault) -> [CBORValue] {
    guard bytes.count <= maximumSize else { throw CBORFault(.size, at: maximumSize) }
    var reader = CBORReader(bytes: ByteReader(bytes[...]), maximumDepth: maximumDepth)
    var values: [CBORValue] = []
    while reader.bytes.remaining > 0 { values.append(try reader.value(depth: 1)) }
    return values
  }

  private mutating func value(depth: Int) throws(CBORFault) -> CBORValue {
    let start = bytes.offset
    guard depth <= maximumDepth else { throw CBORFault(.depth, at: start) }
    items += 1
    guard items <= CBORReader.maximumItems else { throw CBORFault(.size, at: start) }
    guard let initial = bytes.integer(UInt8.self) else { throw CBORFault(.cut, at: start) }
    let major = initial >> 5, low = initial & 31
    if major == 7 { return try simple(low, at: start) }
    guard major != 6 else { throw CBORFault(.unsupported, at: start) }
    let argument = try argument(low, at: start)
    switch major {
    case 0: return .unsigned(argument)
    case 1: return .negative(argument)
    case 2: return .bytes(Array(try string(argument, at: start)))
    case 3:
      guard let text = String(validating: try string(argument, at: start), as: UTF8.self) else {
        throw CBORFault(.encoding, at: start)
      }
      return .text(text)
    case 4:
      var values: [CBORValue] = []
      for _ in 0..<(try count(argument, each: 1, at: start)) { values.append(try value(depth: depth + 1)) }
      return .array(values)
    default:
      var members: [(key: CBORValue, value: CBORValue)] = []
      for _ in 0..<(try count(argument, each: 2, at: start)) {
        let place = bytes.offset
        let key = try value(depth: depth + 1)
        switch key {
        case .unsigned, .negative, .text: break
        default: throw CBORFault(.key, at: place)
        }
        guard !members.contains(where: { $0.key == key }) else { throw CBORFault(.key, at: place) }
        members.append((key, try value(depth: depth + 1)))
      }
      return .map(members)
    }
  }

  private func simple(_ low: UInt8, at start: Int) throws(CBORFault) -> CBORValue {
    switch low {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    case 31: throw CBORFault(.indefinite, at: start)
    default: throw CBORFault(.unsupported, at: start)
    }
  }

  // The number that follows a head, big-endian.
  private mutating func argument(_ low: UInt8, at start: Int) throws(CBORFault) -> UInt64 {
    guard low >= 24 else { return UInt64(low) }
    guard low < 28 else { throw CBORFault(low == 31 ? .indefinite : .unsupported, at: start) }
    guard let field = bytes.slice(1 << Int(low - 24)) else { throw CBORFault(.cut, at: start) }
    let number = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let least: UInt64 =
      switch low {
      case 24: 24
      case 25: 1 << 8
      case 26: 1 << 16
      default: 1 << 32
      }
    guard number >= least else { throw CBORFault(.notShortest, at: start) }
    return number
  }

  private mutating func string(_ length: UInt64, at start: Int) throws(CBORFault) -> ArraySlice<UInt8> {
    guard let length = Int(exactly: length), let content = bytes.slice(length) else { throw CBORFault(.cut, at: start) }
    return content
  }

  // Each item has a byte at least, so a count that cannot be is seen before anything is read.
  private func count(_ count: UInt64, each: Int, at start: Int) throws(CBORFault) -> Int {
    guard let count = Int(exactly: count), count <= bytes.remaining / each else { throw CBORFault(.cut, at: start) }
    return count
  }
}
