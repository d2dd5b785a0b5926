/// The text of an env file as Node's reader sees it - every carriage return removed - with the way back to the lines and
/// columns of the file itself.
public struct EnvText: Sendable {
  /// The bytes without carriage returns.
  public let bytes: [UInt8]
  /// For each carriage return that was removed, the offset in `bytes` that it stood before; ascending.
  let carriageReturns: [UInt32]
  /// The offset of the first byte of each line, ascending; the first is 0.
  let lineStarts: [UInt32]
  /// The offsets of line feeds in `bytes` that stand for a lone carriage return of the file; ascending.
  let splits: [UInt32]
  /// How many scalars stand before every 256th byte; empty when no line is long. Counting from the line's start each time
  /// would make a long line with many findings quadratic.
  private let scalarCounts: [UInt32]
  private static let countedBytes = 256

  /// The text of a file. With `splittingAtLoneReturns`, a carriage return without a line feed ends a line, as whoever
  /// wrote it meant, instead of joining two.
  init(_ file: [UInt8], splittingAtLoneReturns: Bool = false) {
    guard let first = file.offset(of: Byte.carriageReturn, from: 0, to: file.count) else {
      bytes = file
      carriageReturns = []
      splits = []
      lineStarts = EnvText.lineStarts(of: file)
      scalarCounts = EnvText.scalarCounts(of: file, lineStarts)
      return
    }
    var kept = Array(file[..<first])
    kept.reserveCapacity(file.count)
    var removed: [UInt32] = []
    var split: [UInt32] = []
    for index in first..<file.count {
      let byte = file[index]
      guard byte == Byte.carriageReturn else {
        kept.append(byte)
        continue
      }
      let endsLine = index + 1 < file.count && file[index + 1] == Byte.lineFeed
      guard splittingAtLoneReturns, !endsLine else {
        removed.append(UInt32(kept.count))
        continue
      }
      split.append(UInt32(kept.count))
      kept.append(Byte.lineFeed)
    }
    bytes = kept
    carriageReturns = removed
    splits = split
    lineStarts = EnvText.lineStarts(of: kept)
    scalarCounts = EnvText.scalarCounts(of: kept, lineStarts)
  }

  private static func lineStarts(of bytes: [UInt8]) -> [UInt32] {
    var starts: [UInt32] = [0]
    var position = 0
    while let found = bytes.offset(of: Byte.lineFeed, from: position, to: bytes.count) {
      position = found + 1
      starts.append(UInt32(position))
    }
    return starts
  }

  private static func scalarCounts(of bytes: [UInt8], _ lineStarts: [UInt32]) -> [UInt32] {
    let ends = lineStarts.dropFirst() + [UInt32(bytes.count)]
    guard zip(lineStarts, ends).contains(where: { $1 - $0 > 2 * UInt32(countedBytes) }) else { return [] }
    var counts: [UInt32] = [0]
    counts.reserveCapacity(bytes.count / countedBytes + 1)
    var count: UInt32 = 0
    for start in stride(from: 0, through: bytes.count - countedBytes, by: countedBytes) {
      count += UInt32(scalars(bytes[start..<(start + countedBytes)]))
      counts.append(count)
    }
    return counts
  }

  // Every byte but a continuation byte begins a scalar.
  private static func scalars(_ bytes: ArraySlice<UInt8>) -> Int {
    var count = 0
    for byte in bytes where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// How many scalars begin before `offset` and not before `start`.
  private func scalars(from start: Int, to offset: Int) -> Int {
    let size = EnvText.countedBytes
    guard !scalarCounts.isEmpty, offset - start > size else { return EnvText.scalars(bytes[start..<offset]) }
    func before(_ offset: Int) -> Int {
      let block = offset / size
      return Int(scalarCounts[block]) + EnvText.scalars(bytes[(block * size)..<offset])
    }
    return before(offset) - before(start)
  }

  /// The bytes of a part, read as UTF-8; what is not UTF-8 becomes U+FFFD, as in the app.
  public func string(_ range: ByteRange) -> String { String(decoding: bytes[range.indices], as: UTF8.self) }

  /// The 1-based line that an offset is on.
  public func line(of offset: UInt32) -> Int { lineStarts.upperBound(of: offset) }

  /// The part of a line, 1-based, without its line end.
  public func range(ofLine line: Int) -> ByteRange {
    guard line >= 1, line <= lineStarts.count else { return ByteRange(bytes.count, bytes.count) }
    let start = Int(lineStarts[line - 1])
    let end = line < lineStarts.count ? Int(lineStarts[line]) - 1 : bytes.count
    return ByteRange(start, end)
  }

  /// The carriage returns that were removed from within a line, as the offsets that they stood before.
  func returns(in line: ByteRange) -> ArraySlice<UInt32> {
    guard !carriageReturns.isEmpty else { return [] }
    return carriageReturns[carriageReturns.lowerBound(of: line.start)..<carriageReturns.lowerBound(of: line.end)]
  }

  /// Whether the line feed at an offset stands for a lone carriage return.
  func isSplit(at offset: Int) -> Bool {
    let index = splits.lowerBound(of: UInt32(clamping: offset))
    return index < splits.count && Int(splits[index]) == offset
  }

  /// The place of a part in the file.
  public func place(_ range: ByteRange) -> SourceRange {
    let first = line(of: range.start), last = line(of: range.end)
    return SourceRange(
      line: first, column: column(of: range.start, inLine: first), endLine: last,
      endColumn: column(of: range.end, inLine: last))
  }

  /// The offset of a 1-based line and column, as ``place(_:)`` gives them, held within the line.
  func offset(line: Int, column: Int) -> Int {
    let range = range(ofLine: line)
    var low = Int(range.start), high = Int(range.end)
    // Columns grow with offsets.
    while low < high {
      let middle = low + (high - low) / 2
      if self.column(of: UInt32(middle), inLine: line) < column { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Columns count Unicode scalars; a carriage return inside the line is one.
  private func column(of offset: UInt32, inLine line: Int) -> Int {
    let start = lineStarts[line - 1]
    let scalars = self.scalars(from: Int(start), to: Int(offset))
    guard !carriageReturns.isEmpty else { return scalars + 1 }
    // A return before the line's first byte belongs to this line, since the one of CRLF stands before the line feed.
    let before = start == 0 ? 0 : carriageReturns.lowerBound(of: start)
    return scalars + max(0, carriageReturns.lowerBound(of: offset) - before) + 1
  }
}

extension [UInt32] {
  /// How many elements of this ascending array are at most `value`.
  func upperBound(of value: UInt32) -> Int { partition { $0 <= value } }
  /// How many elements of this ascending array are below `value`.
  func lowerBound(of value: UInt32) -> Int { partition { $0 < value } }

  private func partition(_ isBefore: (UInt32) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
