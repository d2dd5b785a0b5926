/// Bytes from outside, read with a check at each access. It lives no longer than the bytes it was lent.
@safe struct ByteView {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

  var count: UInt64 { UInt64(unsafe bytes.count) }

  /// A little-endian integer at an offset.
  func integer<I: FixedWidthInteger>(at offset: UInt64) throws(ELFImage.Unreadable) -> I {
    let size = UInt64(MemoryLayout<I>.size)
    guard offset <= count, size <= count - offset else { throw ELFImage.Unreadable("it is cut short") }
    return unsafe I(littleEndian: bytes.loadUnaligned(fromByteOffset: Int(offset), as: I.self))
  }
}

/// The bytes as they stand in memory once the segments are loaded.
struct LoadedView {
  private let reader: ByteView
  private let segments: [Segment]

  /// Checks that the segments can be loaded one after the other, without one covering the pages of another.
  init(_ reader: ByteView, _ all: [Segment]) throws(ELFImage.Unreadable) {
    self.reader = reader
    segments = all.filter { $0.type == Segment.load }
    guard !segments.isEmpty else { throw ELFImage.Unreadable("it has nothing to load") }
    let limit: UInt64 = 1 << 40
    var end: UInt64 = 0
    for segment in segments {
      guard segment.address < limit, segment.memorySize < limit, segment.fileSize <= segment.memorySize,
        segment.offset <= reader.count, segment.fileSize <= reader.count - segment.offset,
        segment.offset % 4_096 == segment.address % 4_096
      else { throw ELFImage.Unreadable("a segment is outside the file") }
      guard segment.address / 4_096 * 4_096 >= end else { throw ELFImage.Unreadable("its segments overlap") }
      end = (segment.address + segment.memorySize + 4_095) / 4_096 * 4_096
    }
  }

  /// A little-endian integer at an address.
  func integer<I: FixedWidthInteger>(at address: UInt64) throws(ELFImage.Unreadable) -> I {
    try reader.integer(at: try offset(of: address, count: UInt64(MemoryLayout<I>.size)))
  }

  /// The text at an offset of a string table, which ends with a NUL inside the table.
  func string(table: UInt64, size: UInt64, offset: UInt64) throws(ELFImage.Unreadable) -> String {
    guard offset < size, size < 1 << 32 else { throw ELFImage.Unreadable("a name is outside its string table") }
    var text: [UInt8] = []
    for index in offset..<size {
      let byte: UInt8 = try integer(at: table &+ index)
      if byte == 0 { return String(decoding: text, as: UTF8.self) }
      guard text.count < 4_096 else { break }
      text.append(byte)
    }
    throw ELFImage.Unreadable("a name in its string table has no end")
  }

  private func offset(of address: UInt64, count: UInt64) throws(ELFImage.Unreadable) -> UInt64 {
    for segment in segments where address >= segment.address {
      let inside = address - segment.address
      if inside < segment.fileSize, count <= segment.fileSize - inside { return segment.offset + inside }
    }
    throw ELFImage.Unreadable("an address in it is outside what is loaded")
  }
}
