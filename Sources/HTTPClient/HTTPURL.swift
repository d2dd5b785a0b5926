/// An absolute http or https URL (RFC 3986), read strictly: no user name or password, no fragment, ASCII only (hosts in
/// punycode, other bytes percent-encoded). It is rebuilt from its parts before it is used, so that two readers
/// of the same text cannot disagree on where a request goes.
public struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
  /// Scheme, host and port.
  public let origin: HTTPOrigin
  /// Path and query, beginning with `/`.
  public let target: String

  /// The URL in full.
  public var description: String { origin.description + target }

  /// Reads a URL; nil when it is not one, or is longer than 8 KiB.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count <= 8_192, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    let afterColon = text[text.index(after: colon)...]
    guard scheme == "http" || scheme == "https", afterColon.hasPrefix("//") else { return nil }
    let rest = afterColon.dropFirst(2)
    let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
    guard let (host, port) = HTTPURL.authority(rest[..<end]) else { return nil }
    let target = rest[end...]
    guard !target.contains("#"), !target.contains("\\") else { return nil }
    origin = HTTPOrigin(scheme: scheme, host: host, port: port ?? HTTPOrigin.defaultPort(scheme))
    self.target = target.hasPrefix("/") ? String(target) : "/" + target
  }

  /// Whether it is a place of this machine's: 127.0.0.0/8, ::1 or the name localhost (RFC 8252 7.3 and 8.3).
  public var isLoopback: Bool { origin.isLoopback }

  private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
    guard !text.contains("@"), text.utf8.count <= 300 else { return nil }
    let host: Substring, tail: Substring
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = text[...close]
      tail = text[text.index(after: close)...]
      let inside = host.dropFirst().dropLast()
      guard inside.utf8.count >= 2, inside.contains(":"),
        inside.utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E })
      else { return nil }
    } else {
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      host = text[..<colon]
      tail = text[colon...]
      guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(isHostByte), !host.hasPrefix("."),
        !host.hasPrefix("-"), !host.contains("..")
      else { return nil }
    }
    if tail.isEmpty { return (host.lowercased(), nil) }
    let digits = tail.dropFirst()
    guard tail.hasPrefix(":"), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits), port > 0
    else { return nil }
    return (host.lowercased(), port)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
