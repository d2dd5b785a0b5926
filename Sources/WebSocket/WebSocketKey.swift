internal import COpenSSL

/// The `Sec-WebSocket-Key` of a handshake (RFC 6455 4.1 and 4.2.2): it proves that a server has read this very request, and
/// nothing else.
public struct WebSocketKey: Hashable, Sendable, CustomStringConvertible {
  /// 16 bytes in base64, 24 characters.
  public let text: String

  /// A new one, from the system's generator.
  public init() {
    var random = SystemRandomNumberGenerator()
    text = base64((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  /// One that a client sent; nil when it is not the base64 of 16 bytes.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // The last digit before the padding carries four bits, and its lower four are zero.
    guard bytes.count == 24, bytes.suffix(2) == [0x3D, 0x3D], bytes.prefix(22).allSatisfy({ base64Value($0) != nil }),
      let last = base64Value(bytes[21]), last & 0x0F == 0
    else { return nil }
    self.text = text
  }

  /// The `Sec-WebSocket-Accept` that answers it; empty when the library fails, which no client takes for an answer.
  public var accept: String {
    let message = Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 64)
    var size: UInt32 = 0
    let isDone = unsafe message.withUnsafeBytes { bytes in
      unsafe EVP_Digest(bytes.baseAddress, bytes.count, &digest, &size, EVP_sha1(), nil) == 1
    }
    return isDone ? base64(Array(digest.prefix(Int(size)))) : ""
  }

  /// The text.
  public var description: String { text }
}

private let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// RFC 4648 section 4.
private func base64(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let part = bytes[start..<min(start + 3, bytes.count)]
    let group = (0..<3).reduce(UInt32(0)) { $0 << 8 | (start + $1 < part.endIndex ? UInt32(part[start + $1]) : 0) }
    for step in 0..<4 {
      text.append(step <= part.count ? digits[Int(group >> (18 - 6 * UInt32(step)) & 63)] : 0x3D)
    }
  }
  return String(decoding: text, as: UTF8.self)
}

private func base64Value(_ byte: UInt8) -> Int? { digits.firstIndex(of: byte) }
