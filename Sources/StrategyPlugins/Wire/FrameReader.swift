public import Basics

/// Cuts a stream of bytes into messages: feed it what arrived, take out what is whole. It holds at most one frame more
/// than was fed, because a length beyond ``WireLimit/frame`` is refused before its bytes are waited for.
public struct FrameReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  /// A reader at the start of a stream.
  public init() {}

  /// Whether the stream may end here: no frame is half read.
  public var isBetweenFrames: Bool { start == buffer.count }

  /// Takes bytes that arrived.
  public mutating func feed(_ bytes: some Collection<UInt8>) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole message, or nil when more bytes are needed. Throws ``FailureCode/pluginFailed``; the stream cannot
  /// be read on after that.
  public mutating func next() throws(Failure) -> WireMessage? {
    var reader = WireReader(buffer[start...])
    guard buffer.count - start >= 4 else { return nil }
    let length = Int(try reader.number(UInt32.self))
    guard (1...WireLimit.frame).contains(length) else { throw .wire("its length is out of range") }
    guard buffer.count - start - 4 >= length else { return nil }
    let body = try reader.take(length)
    start += 4 + length
    let message = try WireMessage(body: body)
    if start > 1 << 16 {
      buffer.removeFirst(start)
      start = 0
    }
    return message
  }
}
