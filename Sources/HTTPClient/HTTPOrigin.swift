/// Where an HTTP request goes: scheme, host and port (RFC 6454 4). Two are equal when a browser would say so.
public struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// The host in lower case; an IPv6 address stands in brackets.
  public let host: String
  /// The port, the scheme's own when none was named.
  public let port: UInt16

  /// The default port of a scheme.
  static func defaultPort(_ scheme: String) -> UInt16 { scheme == "https" ? 443 : 80 }

  /// `https://host` or `https://host:8443`.
  public var description: String {
    "\(scheme)://\(host)" + (port == HTTPOrigin.defaultPort(scheme) ? "" : ":\(port)")
  }

  /// Whether the host is this machine: 127.0.0.0/8, ::1 or the name localhost.
  public var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The origin of a URL of scheme http, https, ws or wss; the last two count as http and https, since a WebSocket
  /// begins as an HTTP request to the same server. Nil when the text is no such URL.
  public init?(of text: String) {
    var text = text
    for (socket, plain) in [("ws://", "http://"), ("wss://", "https://")] where text.lowercased().hasPrefix(socket) {
      text = plain + text.dropFirst(socket.count)
    }
    guard let url = HTTPURL(text) else { return nil }
    self = url.origin
  }

  init(scheme: String, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}
