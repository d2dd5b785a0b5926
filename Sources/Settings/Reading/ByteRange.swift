/// A part of a text, as offsets of its bytes. Half the size of a `Range<Int>`, since a file has many of them.
public struct ByteRange: Hashable, Sendable {
  /// The offset of the first byte.
  public let start: UInt32
  /// The offset behind the last byte.
  public let end: UInt32

  /// The bytes from `start` up to, not including, `end`. Files are limited to 16 MiB, so offsets fit.
  init(_ start: Int, _ end: Int) {
    self.start = UInt32(clamping: start)
    self.end = UInt32(clamping: max(start, end))
  }

  /// Whether it holds no byte.
  public var isEmpty: Bool { start == end }
  /// How many bytes it holds.
  public var count: Int { Int(end) - Int(start) }
  /// The offsets.
  public var indices: Range<Int> { Int(start)..<Int(end) }
}
