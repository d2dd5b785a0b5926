import Foundation

/// A TCP port of 127.0.0.1 where nobody listens while this value lives: it is bound, so that no other program can take it,
/// and a connection to it is refused.
public final class DeadPort: Sendable {
  /// One for all tests; it goes with the process.
  public static let shared = DeadPort()

  /// The port.
  public let port: UInt16
  private let descriptor: Int32

  /// Takes a free port.
  public init() { (descriptor, port) = boundSocket() }

  deinit { close(descriptor) }
}

/// A TCP port of 127.0.0.1 where nobody should come: whoever does is noticed, and never answered.
public final class WatchedPort: Sendable {
  /// The port.
  public let port: UInt16
  private let descriptor: Int32

  /// Takes a free port.
  public init() {
    (descriptor, port) = boundSocket()
    precondition(listen(descriptor, 8) == 0, "nobody can listen on a port of 127.0.0.1")
  }

  deinit { close(descriptor) }

  /// Whether a connection was made.
  public var wasReached: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}

private func boundSocket() -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
    }
  }
  precondition(result == 0, "no port of 127.0.0.1 can be bound")
  return (descriptor, UInt16(bigEndian: address.sin_port))
}
