/// One frame (RFC 6455 5.2), without extensions.
public struct WebSocketFrame: Equatable, Sendable {
  /// What a frame is.
  public enum Opcode: UInt8, Sendable, CaseIterable {
    /// More of the message before.
    case continuation = 0x0
    /// Text in UTF-8, or its beginning.
    case text = 0x1
    /// Bytes, or their beginning.
    case binary = 0x2
    /// The end.
    case close = 0x8
    /// A question whether the other side is there.
    case ping = 0x9
    /// The answer to it.
    case pong = 0xA

    /// Whether it may stand between the parts of a message; it is short and in one piece.
    public var isControl: Bool { rawValue >= 0x8 }
  }

  /// The most bytes in the payload of a control frame.
  public static let controlLimit = 125

  /// Whether it is the last frame of its message.
  public var isFinal: Bool
  /// What it is.
  public var opcode: Opcode
  /// What it carries, unmasked.
  public var payload: [UInt8]

  /// A frame.
  public init(_ opcode: Opcode, _ payload: [UInt8] = [], isFinal: Bool = true) {
    self.isFinal = isFinal
    self.opcode = opcode
    self.payload = payload
  }

  /// A closing frame. A code that may not be sent is left out, and so is its reason, which is cut to what fits.
  public static func close(_ code: CloseCode, reason: String = "") -> WebSocketFrame {
    guard code.isSendable else { return WebSocketFrame(.close) }
    var text: [UInt8] = []
    for scalar in reason.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      guard 2 + text.count + bytes.count <= controlLimit else { break }
      text += bytes
    }
    return WebSocketFrame(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + text)
  }

  /// The bytes on the wire. A client masks what it sends with four bytes that nobody can foresee (5.3); a server does not.
  public func encoded(mask: UInt32?) -> [UInt8] {
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode.rawValue]
    let masked: UInt8 = mask == nil ? 0 : 0x80
    let count = payload.count
    switch count {
    case ..<126: bytes.append(masked | UInt8(count))
    case ..<65_536: bytes += [masked | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    default:
      bytes.append(masked | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
    guard let mask else { return bytes + payload }
    let key = WebSocketMask(mask)
    for byte in key.bytes { bytes.append(byte) }
    let start = bytes.count
    bytes += payload
    key.apply(to: &bytes[start...])
    return bytes
  }

  /// A mask from the system's generator.
  public static func randomMask() -> UInt32 {
    var random = SystemRandomNumberGenerator()
    return UInt32.random(in: .min ... .max, using: &random)
  }
}

/// The four bytes that a client's payload is masked with.
struct WebSocketMask {
  let bytes: [UInt8]

  init(_ number: UInt32) {
    bytes = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Masks, or takes the mask off again.
  func apply(to payload: inout ArraySlice<UInt8>) {
    var step = 0
    for index in payload.indices {
      payload[index] ^= bytes[step]
      step = (step + 1) & 3
    }
  }
}
