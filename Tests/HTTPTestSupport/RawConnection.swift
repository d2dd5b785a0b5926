public import Basics
internal import CLinux
internal import Glibc

/// A TCP connection to a port on 127.0.0.1 that sends and receives bytes as they are, so that a test decides every one
/// of them. Every wait ends after ten seconds.
public final class RawConnection {
  private let descriptor: FileDescriptor
  private var unread: [UInt8] = []
  /// Whether the other side has closed, or reset, the connection.
  public private(set) var isAtEnd = false

  /// Connects. Throws ``FailureCode/network`` when nobody listens.
  public init(port: UInt16, receiveBuffer: Int32? = nil) throws(Failure) {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .system("make a socket") }
    let descriptor = FileDescriptor(owning: number)
    var seconds = timeval(tv_sec: 10, tv_usec: 0)
    unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &seconds, socklen_t(MemoryLayout<timeval>.size))
    unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &seconds, socklen_t(MemoryLayout<timeval>.size))
    if var receiveBuffer {
      unsafe setsockopt(number, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw .system("connect to port \(port)", code: .network) }
    self.descriptor = descriptor
  }

  /// Sends bytes; false when the other side has closed.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Sends a text in UTF-8.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// No more will be sent.
  public func finishSending() { shutdown(descriptor.raw, Int32(SHUT_WR)) }

  /// Waits for something to read: true when the other side has closed or something came, false when the time passed.
  public func waitForInput(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0
  }

  /// One more byte; nil at the end, or after ten seconds of silence.
  public func byte() -> UInt8? {
    if unread.isEmpty, !fill() { return nil }
    return unread.removeFirst()
  }

  /// What is left until the other side closes.
  public func rest() -> [UInt8] {
    while fill() {}
    defer { unread = [] }
    return unread
  }

  /// Reads and forgets what is left; how many bytes that were.
  public func countRest() -> Int {
    var total = unread.count
    unread = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let raw = descriptor.raw
    while !isAtEnd {
      let got = unsafe buffer.withUnsafeMutableBytes { unsafe recv(raw, $0.baseAddress, $0.count, 0) }
      if got > 0 { total += got } else { isAtEnd = true }
    }
    return total
  }

  /// Reads and forgets a few bytes; false at the end.
  public func skip(atMost count: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: count)
    let raw = descriptor.raw
    return unsafe buffer.withUnsafeMutableBytes { unsafe recv(raw, $0.baseAddress, $0.count, 0) } > 0
  }

  /// The next answer, its body read by its length or its chunks; nil when the connection ends before it is complete.
  /// `hasBody` is false for the answer to HEAD.
  public func response(hasBody: Bool = true) -> RawResponse? {
    guard var response = head() else { return nil }
    guard hasBody, response.status != 204, response.status != 304, response.status >= 200 else { return response }
    if response.first("Transfer-Encoding") == "chunked" {
      while true {
        guard let line = line(), let size = Int(line, radix: 16), let chunk = bytes(size), self.line() == "" else {
          return nil
        }
        if size == 0 { return response }
        response.body += chunk
      }
    }
    guard let length = response.first("Content-Length").flatMap({ Int($0) }), let body = bytes(length) else {
      return nil
    }
    response.body = body
    return response
  }

  /// The status line and header of the next answer.
  public func head() -> RawResponse? {
    guard let statusLine = line() else { return nil }
    let words = statusLine.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
    var response = RawResponse(status: status, headers: [], body: [])
    while let line = line() {
      if line.isEmpty { return response }
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      response.headers.append((String(line[..<colon]), String(value)))
    }
    return nil
  }

  private func line() -> String? {
    var bytes: [UInt8] = []
    while let byte = byte() {
      if byte == 0x0A { return String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes[...], as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  private func bytes(_ count: Int) -> [UInt8]? {
    while unread.count < count { if !fill() { return nil } }
    defer { unread.removeFirst(count) }
    return Array(unread.prefix(count))
  }

  private func fill() -> Bool {
    guard !isAtEnd else { return false }
    let raw = descriptor.raw
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let got = unsafe buffer.withUnsafeMutableBytes { unsafe recv(raw, $0.baseAddress, $0.count, 0) }
    let wasSilent = got < 0 && clinux_errno() == EAGAIN
    if got > 0 { unread += buffer[..<got] } else if !wasSilent { isAtEnd = true }
    return got > 0
  }
}

/// An answer as it came.
public struct RawResponse: Sendable {
  /// The status code.
  public var status: Int
  /// Names and values as they were written, in order.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]

  /// The body as a text.
  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The value of the first field of a name, written in this case.
  public func first(_ name: String) -> String? { headers.first { $0.name == name }?.value }
  /// The values of all fields of a name.
  public func all(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
}

/// Sends one request on a connection of its own and returns the answer.
public func exchange(
  _ port: UInt16, _ method: String, _ path: String, headers: [String] = [], body: String? = nil
) throws(Failure) -> RawResponse? {
  let connection = try RawConnection(port: port)
  var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
  if let body { lines.append("Content-Length: \(body.utf8.count)") }
  connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
  return connection.response(hasBody: method != "HEAD")
}
