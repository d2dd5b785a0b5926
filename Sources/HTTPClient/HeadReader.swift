/// Takes the bytes of an answer and hands its head to an ``Inbox`` line by line, interim answers (1xx) but 101 skipped.
struct HeadReader {
  /// The status once the head is complete.
  private(set) var status: Int?
  /// What came behind the head.
  private(set) var rest: [UInt8] = []
  private var current = 0
  private var isFirst = true

  mutating func feed(_ bytes: [UInt8], _ inbox: Inbox, _ origin: HTTPOrigin) throws(HTTPFailure) {
    rest += bytes
    while status == nil, let end = rest.firstIndex(of: 0x0A) {
      let line = Array(rest[...end])
      rest.removeFirst(end + 1)
      if isFirst {
        guard let status = HeadReader.statusCode(line) else {
          throw HTTPFailure(
            .protocolViolation, "cannot understand the answer of \(origin): it does not begin as HTTP/1.1 does")
        }
        (current, isFirst) = (status, false)
      }
      guard unsafe line.withUnsafeBytes({ unsafe inbox.takeHeader($0) }) else {
        throw inbox.failure(origin) ?? Inbox.tooLarge(origin)
      }
      guard inbox.headIsComplete else { continue }
      if (100...199).contains(current), current != 101 { isFirst = true } else { status = current }
    }
    // A line without an end must not be collected for ever.
    if status == nil, rest.count > 64 << 10 { throw Inbox.tooLarge(origin) }
  }

  /// `HTTP/1.1 101 Switching Protocols`.
  private static func statusCode(_ line: [UInt8]) -> Int? {
    guard line.starts(with: Array("HTTP/1.".utf8)), line.count >= 14, isDigit(line[7]), line[8] == 0x20,
      line[9...11].allSatisfy(isDigit), [0x20, 0x0D, 0x0A].contains(line[12])
    else { return nil }
    let status = line[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return (100...999).contains(status) ? status : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Takes the bytes of a body as the head says they are framed: by a length, in chunks, or to the end of the connection.
struct BodyReader {
  private enum Framing {
    case length(Int), chunks, untilEnd
  }

  private let inbox: Inbox
  private var framing: Framing
  private var pending: [UInt8] = []

  init(_ inbox: Inbox) {
    self.inbox = inbox
    let isChunked = inbox.publicValue("Transfer-Encoding")?.lowercased().hasSuffix("chunked") ?? false
    let length = inbox.publicValue("Content-Length").flatMap { Int($0) }
    framing = isChunked ? .chunks : length.map { .length(max(0, $0)) } ?? .untilEnd
  }

  /// Takes some bytes; false when the body is complete, or cannot be read on.
  mutating func take(_ bytes: [UInt8]) -> Bool {
    switch framing {
    case .untilEnd: return keep(bytes)
    case .length(let left):
      guard keep(Array(bytes.prefix(left))) else { return false }
      framing = .length(left - min(left, bytes.count))
      return left > bytes.count
    case .chunks:
      pending += bytes
      return takeChunks()
    }
  }

  private mutating func takeChunks() -> Bool {
    while let end = pending.firstIndex(of: 0x0A) {
      let digits = pending[..<end].prefix { $0 != 0x3B && $0 != 0x0D && $0 != 0x20 }
      guard (1...7).contains(digits.count), let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0
      else { return false }
      let start = end + 1
      guard pending.count >= start + size + 2 else { return pending.count < 16 << 20 }
      guard keep(Array(pending[start..<(start + size)])) else { return false }
      pending.removeFirst(start + size + 2)
    }
    return pending.count < 1_024
  }

  private func keep(_ bytes: [UInt8]) -> Bool {
    if bytes.isEmpty { return true }
    return unsafe bytes.withUnsafeBytes { unsafe inbox.takeBody($0) }
  }
}
