/// One assignment in an env file: where its key and its value stand.
public struct EnvEntry: Hashable, Sendable {
  /// What a reader noted about a value while it passed over it.
  struct Marks: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    /// The two characters `\n` inside double quotes, which become a line feed.
    static let escapes = Marks(rawValue: 1)
    /// A `$`, so that there may be references.
    static let dollar = Marks(rawValue: 2)
  }

  /// The key.
  public let key: ByteRange
  /// The value without its quotes.
  public let value: ByteRange
  /// The quote that encloses the value, as ASCII; 0 for none.
  public let quote: UInt8
  let marks: Marks

  init(key: ByteRange, value: ByteRange, quote: UInt8 = 0, marks: Marks = []) {
    self.key = key
    self.value = value
    self.quote = quote
    self.marks = marks
  }

  /// The value as a part of the text it stands in, before expansion. A copy only when it has escapes.
  func bytes(in text: EnvText) -> ArraySlice<UInt8> {
    let raw = text.bytes[value.indices]
    guard marks.contains(.escapes) else { return raw }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(raw.count)
    var index = raw.startIndex
    while index < raw.endIndex {
      if raw[index] == Byte.backslash, index + 1 < raw.endIndex, raw[index + 1] == 0x6E {
        decoded.append(Byte.lineFeed)
        index += 2
      } else {
        decoded.append(raw[index])
        index += 1
      }
    }
    return decoded[...]
  }
}
