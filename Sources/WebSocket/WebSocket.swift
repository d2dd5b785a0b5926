public import Basics

/// The bytes under a WebSocket.
public protocol WebSocketStream: AnyObject {
  /// Waits for bytes and gives what came: nothing at the end, nil when the deadline passed or somebody woke the reader.
  func read(until deadline: MonotonicInstant) -> [UInt8]?
  /// Sends all bytes; false when that was not possible by the deadline.
  func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool
}

/// An open WebSocket (RFC 6455 5 to 7), used by one thread.
public final class WebSocket {
  /// What came.
  public enum Event: Equatable, Sendable {
    /// A whole message.
    case message(WebSocketMessage)
    /// The answer to a ping.
    case pong([UInt8])
    /// It is closed: by a closing frame, or, with ``CloseCode/abnormal``, without one.
    case closed(CloseCode, reason: String)
  }

  /// Whether pings are answered, as they must be; a double of a server that hangs does not.
  public var answersPings = true
  /// Whether this side has sent its closing frame.
  public private(set) var hasClosed = false

  private let stream: any WebSocketStream
  private let isClient: Bool
  private var reader: WebSocketMessageReader
  private var ending: Event?
  private static let writeSeconds = 10.0

  /// A WebSocket over a stream on which the handshake is done. Messages may have up to `limit` bytes.
  public init(_ stream: any WebSocketStream, role: WebSocketFrameReader.Role, limit: Int = 1 << 20) {
    self.stream = stream
    isClient = role == .client
    reader = WebSocketMessageReader(role: role, limit: limit)
  }

  /// Sends a message; false when the connection is gone, or this side has closed.
  @discardableResult public func send(_ message: WebSocketMessage) -> Bool {
    switch message {
    case .text(let text): send(WebSocketFrame(.text, Array(text.utf8)))
    case .binary(let bytes): send(WebSocketFrame(.binary, bytes))
    }
  }

  /// Asks whether the other side is there, with at most 125 bytes that it sends back.
  @discardableResult public func ping(_ payload: [UInt8] = []) -> Bool {
    send(WebSocketFrame(.ping, Array(payload.prefix(WebSocketFrame.controlLimit))))
  }

  /// Says that this side sends no more. What the other side still sends is received until its own closing frame.
  @discardableResult public func close(_ code: CloseCode, reason: String = "") -> Bool {
    guard !hasClosed else { return false }
    let isSent = send(.close(code, reason: reason))
    hasClosed = true
    return isSent
  }

  /// Waits for the next event; nil when the deadline passed or somebody woke the reader. Pings are answered here. A peer that
  /// breaks the protocol is told so with a closing frame, and the fault is thrown; after that, as after
  /// ``Event/closed(_:reason:)``, nothing more comes.
  public func receive(until deadline: MonotonicInstant) throws(WebSocketFault) -> Event? {
    var hasRead = false
    while true {
      if let ending { return ending }
      if let event = try nextFrame() { return event }
      if ending != nil { continue }
      // A peer that never stops sending pings, or parts of a message, does not keep the reader beyond its time.
      if hasRead, MonotonicInstant.now() >= deadline { return nil }
      hasRead = true
      guard let bytes = stream.read(until: deadline) else { return nil }
      if bytes.isEmpty { ending = .closed(.abnormal, reason: "") } else { reader.feed(bytes) }
    }
  }

  private func nextFrame() throws(WebSocketFault) -> Event? {
    do throws(WebSocketFault) {
      while let event = try reader.next() {
        switch event {
        case .message(let message): return .message(message)
        case .pong(let payload): return .pong(payload)
        case .ping(let payload): if answersPings { send(WebSocketFrame(.pong, payload)) }
        case .close(let code, let reason):
          // The same code goes back (5.5.1).
          close(code)
          ending = .closed(code, reason: reason)
          return nil
        }
      }
      return nil
    } catch {
      close(error.code)
      ending = .closed(.abnormal, reason: "")
      throw error
    }
  }

  @discardableResult private func send(_ frame: WebSocketFrame) -> Bool {
    guard !hasClosed else { return false }
    let bytes = frame.encoded(mask: isClient ? WebSocketFrame.randomMask() : nil)
    return stream.write(bytes, until: .now().advanced(bySeconds: WebSocket.writeSeconds))
  }
}
