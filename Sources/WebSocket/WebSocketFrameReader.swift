/// Takes bytes as they come and gives the frames in them (RFC 6455 5.2). It holds a peer to every rule, since what is
/// lenient here is read differently elsewhere.
public struct WebSocketFrameReader: Sendable {
  /// Which side reads.
  public enum Role: Sendable {
    /// The client's: what comes is not masked.
    case client
    /// The server's: what comes is masked.
    case server
  }

  private let role: Role
  private let limit: Int
  private var buffer: [UInt8] = []
  private var start = 0

  /// A reader that takes payloads of up to `limit` bytes.
  public init(role: Role, limit: Int = 1 << 20) {
    self.role = role
    self.limit = max(0, limit)
  }

  /// Adds what came.
  public mutating func feed(_ bytes: some Collection<UInt8>) {
    if start > 0, start == buffer.count || start > 65_536 {
      buffer.removeFirst(start)
      start = 0
    }
    buffer += bytes
  }

  /// How many bytes have come that are no whole frame yet.
  public var pending: Int { buffer.count - start }

  /// The next whole frame; nil when more bytes are needed. Whatever is wrong with a frame is said as soon as its head tells.
  public mutating func next() throws(WebSocketFault) -> WebSocketFrame? {
    let bytes = buffer[start...]
    guard bytes.count >= 2 else { return nil }
    let first = bytes[start], second = bytes[start + 1]
    guard first & 0x70 == 0 else { throw WebSocketFault(.protocolError, "a reserved bit is set") }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0F) else {
      throw WebSocketFault(.protocolError, "the opcode \(first & 0x0F) has no meaning")
    }
    let isFinal = first & 0x80 != 0, isMasked = second & 0x80 != 0
    guard isMasked == (role == .server) else {
      throw WebSocketFault(.protocolError, isMasked ? "a server's frame is masked" : "a client's frame is not masked")
    }
    let short = Int(second & 0x7F)
    if opcode.isControl {
      guard isFinal else { throw WebSocketFault(.protocolError, "a control frame is in pieces") }
      guard short <= WebSocketFrame.controlLimit else {
        throw WebSocketFault(.protocolError, "a control frame is too long")
      }
    }
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    let head = 2 + extra + (isMasked ? 4 : 0)
    guard bytes.count >= 2 + extra else { return nil }
    let length = try length(short, bytes[(start + 2)..<(start + 2 + extra)])
    guard bytes.count - head >= length else { return nil }
    let payloadStart = start + head
    var payload = buffer[payloadStart..<(payloadStart + length)]
    if isMasked { WebSocketMask(buffer[(payloadStart - 4)..<payloadStart]).apply(to: &payload) }
    start = payloadStart + length
    return WebSocketFrame(opcode, Array(payload), isFinal: isFinal)
  }

  private func length(_ short: Int, _ extended: ArraySlice<UInt8>) throws(WebSocketFault) -> Int {
    if extended.isEmpty { return try limited(UInt64(short)) }
    let length = extended.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(Int64.max) else { throw WebSocketFault(.protocolError, "a length has its highest bit set") }
    guard length >= (short == 126 ? 126 : 65_536) else {
      throw WebSocketFault(.protocolError, "a length takes more bytes than it needs")
    }
    return try limited(length)
  }

  private func limited(_ length: UInt64) throws(WebSocketFault) -> Int {
    guard length <= UInt64(limit) else {
      throw WebSocketFault(.tooBig, "a frame has \(length) bytes, more than \(limit)")
    }
    return Int(length)
  }
}
