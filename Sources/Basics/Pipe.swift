internal import CLinux

/// Two connected descriptors, both close-on-exec: what is written into one is read from the other. Either end can be closed by itself;
/// both are when this value ends.
public final class Pipe {
  private var readingEnd: FileDescriptor?
  private var writingEnd: FileDescriptor?
  /// The end to read from.
  public let reading: Int32
  /// The end to write into.
  public let writing: Int32

  /// Makes one. Throws ``FailureCode/inputOutput``.
  public init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends) == 0 else { throw .system("make a pipe") }
    (reading, writing) = (ends[0], ends[1])
    readingEnd = FileDescriptor(owning: reading)
    writingEnd = FileDescriptor(owning: writing)
  }

  /// Closes the end to read from.
  public func closeReading() { readingEnd = nil }

  /// Closes the end to write into, so that the reader comes to the end.
  public func closeWriting() { writingEnd = nil }

  /// Writes bytes, all of them. Throws ``FailureCode/inputOutput``.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    guard writingEnd != nil else { throw Failure(.bug, "a pipe that is closed was written to") }
    try unsafe writingEnd?.write(bytes)
  }
}
