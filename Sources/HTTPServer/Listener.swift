internal import Basics
internal import CLinux
internal import CMicroHTTPD
internal import Glibc

/// A listening TCP socket.
struct Listener: ~Copyable {
  let descriptor: FileDescriptor
  /// The real port, also when any free one was asked for.
  let port: UInt16

  /// Listens on a numeric IPv4 or IPv6 address; port 0 is any free one.
  ///
  /// Throws ``FailureCode/usage`` when the address is not one of this machine's, ``FailureCode/exists`` when something
  /// else listens there, ``FailureCode/inputOutput`` otherwise.
  init(address: String, port: UInt16, addressName: String? = nil, portName: String? = nil) throws(Failure) {
    let shown = OutsideText.clean(address, limit: 60)
    var storage = sockaddr_storage()
    guard let length = Listener.fill(&storage, address: address, port: port) else {
      throw Failure(.usage, "'\(shown)' is not a numeric IP address", hint: "for example 127.0.0.1")
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let number = socket(Int32(storage.ss_family), type, 0)
    guard number >= 0 else { throw .system("make a socket") }
    let descriptor = FileDescriptor(owning: number)
    var yes: Int32 = 1
    // A port that was in use a moment ago may be used again: connections that linger in TIME_WAIT do not count.
    unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let bound = unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, length) }
    }
    guard bound == 0, listen(number, SOMAXCONN) == 0 else {
      throw Listener.failure("\(shown) port \(port)", addressName, portName)
    }
    self.port = try Listener.port(of: number)
    self.descriptor = descriptor
  }

  /// Gives the socket away.
  consuming func intoDescriptor() -> FileDescriptor { descriptor }

  private static func failure(_ place: String, _ addressName: String?, _ portName: String?) -> Failure {
    let byAddress = addressName.map { " (\($0))" } ?? "", byPort = portName.map { " (\($0))" } ?? ""
    return switch clinux_errno() {
    case EADDRINUSE:
      .system("listen on \(place)", code: .exists, hint: "choose another port\(byPort), or 0 for any free one")
    case EADDRNOTAVAIL:
      .system("listen on \(place)", code: .usage, hint: "use an address of this machine\(byAddress)")
    case EACCES:
      .system("listen on \(place)", hint: "choose another port\(byPort): those below 1024 are root's as a rule")
    default: .system("listen on \(place)", hint: portName.map { "see \($0)" })
    }
  }

  private static func fill(_ storage: inout sockaddr_storage, address: String, port: UInt16) -> socklen_t? {
    unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      let v4 = unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { place in
        unsafe place.pointee.sin_family = sa_family_t(AF_INET)
        unsafe place.pointee.sin_port = port.bigEndian
        return unsafe inet_pton(AF_INET, address, &place.pointee.sin_addr) == 1
      }
      if v4 { return socklen_t(MemoryLayout<sockaddr_in>.size) }
      let v6 = unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { place in
        unsafe place.pointee = sockaddr_in6()
        unsafe place.pointee.sin6_family = sa_family_t(AF_INET6)
        unsafe place.pointee.sin6_port = port.bigEndian
        return unsafe inet_pton(AF_INET6, address, &place.pointee.sin6_addr) == 1
      }
      return v6 ? socklen_t(MemoryLayout<sockaddr_in6>.size) : nil
    }
  }

  private static func port(of number: Int32) throws(Failure) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let got = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(number, $0, &length)
      }
    }
    guard got == 0 else { throw .system("read a socket's address") }
    return unsafe withUnsafePointer(to: &storage) { pointer in
      // The port stands at the same place for both families.
      unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        unsafe UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}

/// The numeric address of the other side, or `unknown`.
func numericAddress(_ address: UnsafePointer<sockaddr>?) -> String {
  guard let address = unsafe address else { return "unknown" }
  let isV6 = unsafe Int32(address.pointee.sa_family) == AF_INET6
  let length = isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
  return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
    guard let base = buffer.baseAddress,
      unsafe getnameinfo(address, socklen_t(length), base, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
    else { return "unknown" }
    let text = unsafe String(cString: base)
    // Who comes by IPv4 to a socket for both is known by the IPv4 address (RFC 4291 2.5.5.2): lists of addresses have that one.
    guard isV6, text.hasPrefix("::ffff:"), text.contains(".") else { return text }
    return String(text.dropFirst(7))
  }
}
