/// A whole message.
public enum WebSocketMessage: Equatable, Sendable {
  /// Text.
  case text(String)
  /// Bytes.
  case binary([UInt8])
}

/// Takes bytes as they come and gives the messages and control frames in them (RFC 6455 5.4 to 5.6).
public struct WebSocketMessageReader: Sendable {
  /// What came.
  public enum Event: Equatable, Sendable {
    /// A whole message.
    case message(WebSocketMessage)
    /// A ping, to be answered with its payload.
    case ping([UInt8])
    /// A pong.
    case pong([UInt8])
    /// The closing frame; ``CloseCode/noStatus`` when it names no code.
    case close(CloseCode, reason: String)
  }

  private var frames: WebSocketFrameReader
  private let limit: Int
  private var kind: WebSocketFrame.Opcode?
  private var parts: [UInt8] = []

  /// A reader that takes messages of up to `limit` bytes, in however many frames.
  public init(role: WebSocketFrameReader.Role, limit: Int = 1 << 20) {
    frames = WebSocketFrameReader(role: role, limit: limit)
    self.limit = max(0, limit)
  }

  /// Adds what came.
  public mutating func feed(_ bytes: some Collection<UInt8>) { frames.feed(bytes) }

  /// What came next; nil when more bytes are needed.
  public mutating func next() throws(WebSocketFault) -> Event? {
    while let frame = try frames.next() {
      switch frame.opcode {
      case .ping: return .ping(frame.payload)
      case .pong: return .pong(frame.payload)
      case .close: return try close(frame.payload)
      case .text, .binary:
        guard kind == nil else { throw WebSocketFault(.protocolError, "a message begins within another") }
        kind = frame.opcode
        parts = frame.payload
      case .continuation:
        guard kind != nil else { throw WebSocketFault(.protocolError, "a message goes on that never began") }
        guard frame.payload.count <= limit - parts.count else {
          throw WebSocketFault(.tooBig, "a message has more than \(limit) bytes")
        }
        parts += frame.payload
      }
      if frame.isFinal { return .message(try whole()) }
    }
    return nil
  }

  private mutating func whole() throws(WebSocketFault) -> WebSocketMessage {
    defer { (kind, parts) = (nil, []) }
    guard kind == .text else { return .binary(parts) }
    guard let text = String(validating: parts, as: UTF8.self) else {
      throw WebSocketFault(.invalidPayload, "a text is not UTF-8")
    }
    return .text(text)
  }

  private func close(_ payload: [UInt8]) throws(WebSocketFault) -> Event {
    guard let first = payload.first else { return .close(.noStatus, reason: "") }
    guard payload.count >= 2 else { throw WebSocketFault(.protocolError, "a closing frame has half a code") }
    let code = CloseCode(rawValue: UInt16(first) << 8 | UInt16(payload[1]))
    guard code.isSendable else { throw WebSocketFault(.protocolError, "a closing frame has the code \(code)") }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else {
      throw WebSocketFault(.invalidPayload, "a closing frame's reason is not UTF-8")
    }
    return .close(code, reason: reason)
  }
}
