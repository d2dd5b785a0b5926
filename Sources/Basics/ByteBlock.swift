internal import CLinux
internal import Glibc

/// Bytes whose number outside data decides, such as those of a whole file. Their memory is asked for in a way that can
/// be refused: an array of that size would end the process where there is too little.
@safe public final class ByteBlock {
  private var base: UnsafeMutableRawPointer
  /// How many bytes there are.
  public private(set) var count: Int

  /// `count` bytes of no particular value for the caller to fill. Throws ``FailureCode/outOfMemory``.
  public init(count: Int) throws(Failure) {
    guard count >= 0, let base = unsafe malloc(max(count, 1)) else { throw ByteBlock.refused(count) }
    unsafe self.base = unsafe base
    self.count = count
  }

  /// A copy of an array.
  public convenience init(_ bytes: [UInt8]) throws(Failure) {
    try self.init(count: bytes.count)
    unsafe withMutableBytes { unsafe $0.copyBytes(from: bytes) }
  }

  deinit { unsafe free(base) }

  /// Lends the bytes for reading.
  public func withBytes<R: ~Copyable, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Lends the bytes for writing.
  public func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  /// A copy of the first `count` bytes, or of all when there are fewer; for small numbers.
  public func prefix(_ count: Int) -> [UInt8] { unsafe withBytes { unsafe Array($0.prefix(max(0, count))) } }

  /// Makes the block longer or shorter; what is added has no particular value.
  fileprivate func resize(_ count: Int) throws(Failure) {
    guard let moved = unsafe realloc(base, max(count, 1)) else { throw ByteBlock.refused(count) }
    unsafe base = unsafe moved
    self.count = count
  }

  private static func refused(_ count: Int) -> Failure {
    Failure(.outOfMemory, "there is no memory for \(count) bytes", hint: Failure.memoryHint)
  }
}

extension FileDescriptor {
  /// Reads to the end, but no more than `limit` bytes. Returns nil when there is more than that.
  public borrowing func readBlock(limit: Int) throws(Failure) -> ByteBlock? {
    // The size is a hint only, since the file may grow; one byte more shows its end.
    let size = Int(clamping: try status().st_size)
    guard size <= limit else { return nil }
    let block = try ByteBlock(count: size + 1)
    var count = 0
    while true {
      if count == block.count {
        guard count <= limit else { return nil }
        try block.resize(min(count * 2, limit + 1))
      }
      let got = unsafe block.withMutableBytes { bytes -> Int in
        guard let base = bytes.baseAddress else { return 0 }
        return unsafe Glibc.read(raw, base + count, bytes.count - count)
      }
      if got < 0 {
        if clinux_errno() == EINTR { continue }
        throw .system("read")
      }
      if got == 0 { break }
      count += got
    }
    guard count <= limit else { return nil }
    try block.resize(count)
    return block
  }

  /// Whether what can be read from here to the end is exactly these bytes.
  public borrowing func readsBack(_ expected: UnsafeRawBufferPointer) throws(Failure) -> Bool {
    var chunk: [UInt8] = []
    var count = 0
    while true {
      chunk.removeAll(keepingCapacity: true)
      let got = try read(into: &chunk, count: 65_536)
      guard got > 0 else { return count == expected.count }
      guard got <= expected.count - count else { return false }
      let isSame = unsafe chunk.elementsEqual(expected[count..<(count + got)])
      guard isSame else { return false }
      count += got
    }
  }
}
