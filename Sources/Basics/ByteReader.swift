/// Takes fields off the front of bytes; every step says nil instead of reading past the end, and then takes nothing. Integers
/// are little-endian. It works on arrays, on slices and on lent memory alike.
public struct ByteReader<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
  private let bytes: Bytes
  /// Where the next field begins, as an index into the bytes.
  public private(set) var offset: Int

  /// A reader at the first byte.
  public init(_ bytes: Bytes) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  /// How many bytes are left.
  public var remaining: Int { bytes.endIndex - offset }

  /// The range of the next `count` bytes.
  public mutating func range(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return offset..<(offset + count)
  }

  /// The next `count` bytes, not copied.
  public mutating func slice(_ count: Int) -> Bytes.SubSequence? { range(count).map { bytes[$0] } }

  /// The next `count` bytes, copied.
  public mutating func array(_ count: Int) -> [UInt8]? { slice(count).map { Array($0) } }

  /// The next integer, of 8 to 64 bits.
  public mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T? {
    slice(T.bitWidth / 8).map { field in
      T(truncatingIfNeeded: field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
  }
}

extension [UInt8] {
  /// Appends an integer, little-endian.
  public mutating func append(littleEndian value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
