internal import Basics
internal import SecureMemory

/// What a server has sent so far, taken in by libcurl's callbacks. It stops a transfer that goes beyond the limits.
final class Inbox {
  private let block: SecureBuffer
  private let body: SecureBuffer
  private var fields: [HeaderField] = []
  private var hasBody = false
  /// Whether the empty line after the header fields has come.
  private(set) var headIsComplete = false
  private var problem: HTTPFailure.Kind?

  private let taker: (any HTTPBodyTaker)?
  private var bodyLeft: Int
  private var status = 0

  private init(block: SecureBuffer, body: SecureBuffer, taker: (any HTTPBodyTaker)?) {
    self.block = block
    self.body = body
    self.taker = taker
    bodyLeft = body.limit
  }

  static func make(
    client: HTTPClient, taker: (any HTTPBodyTaker)?
  ) throws(HTTPFailure) -> Inbox {
    do throws(Failure) {
      return Inbox(
        block: try SecureBuffer(limit: client.headerLimit), body: try SecureBuffer(limit: client.bodyLimit),
        taker: taker)
    } catch { throw HTTPFailure(.request, error.message) }
  }

  /// Takes one status line or header line; false ends the transfer.
  func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    let start = block.count
    guard unsafe append(line, to: block) else { return false }
    // Trailers come after the body; nothing here has a use for them.
    if hasBody { return true }
    // Another status line: what came before belonged to an interim (1xx) response.
    if unsafe line.starts(with: Array("HTTP/".utf8)) {
      fields.removeAll()
      headIsComplete = false
      let digits = unsafe line.drop { $0 != 0x20 }.dropFirst().prefix(3)
      status = unsafe Int(String(decoding: digits, as: UTF8.self)) ?? 0
      return true
    }
    if unsafe line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { headIsComplete = true }
    guard let colon = unsafe line.firstIndex(of: 0x3A), colon > 0 else { return true }
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    let name = unsafe String(decoding: line[..<colon], as: UTF8.self)
    guard FieldSyntax.isName(name) else { return true }
    var low = colon + 1
    var high = line.count
    while low < high, unsafe isBlank(line[low]) { low += 1 }
    while high > low, unsafe isBlank(line[high - 1]) { high -= 1 }
    fields.append(HeaderField(name: name, value: (start + low)..<(start + high)))
    return true
  }

  /// Takes a piece of the body; false ends the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    hasBody = true
    guard let taker else { return unsafe append(bytes, to: body) }
    guard bytes.count <= bodyLeft else {
      problem = .tooLarge
      return false
    }
    bodyLeft -= bytes.count
    if unsafe taker.take(bytes, status: status) { return true }
    problem = .cancelled
    return false
  }

  private func append(_ bytes: UnsafeRawBufferPointer, to buffer: SecureBuffer) -> Bool {
    do throws(Failure) {
      if try unsafe buffer.append(bytes) { return true }
      problem = .tooLarge
    } catch { problem = .request }
    return false
  }

  /// The first value of a field that is not secret, while the answer still comes.
  func publicValue(_ name: String) -> String? {
    guard let field = fields.first(where: { $0.matches(name) }) else { return nil }
    return unsafe block.withBytes { unsafe String(decoding: $0[field.value], as: UTF8.self) }
  }

  /// Why this side ended the transfer; nil when it did not.
  func failure(_ origin: HTTPOrigin) -> HTTPFailure? {
    switch problem {
    case nil: nil
    case .tooLarge: Inbox.tooLarge(origin)
    case .cancelled: HTTPFailure(.cancelled, "the answer of \(origin) was not taken")
    default: HTTPFailure(.request, "there is no memory for the answer of \(origin)")
    }
  }

  /// The failure for an answer beyond the limits.
  static func tooLarge(_ origin: HTTPOrigin) -> HTTPFailure {
    HTTPFailure(.tooLarge, "cannot understand the answer of \(origin): it is larger than a sensible one would be")
  }

  /// The response, now that it has come in full.
  /// 101 is one only where another protocol was asked for.
  func response(status: Int, origin: HTTPOrigin, isUpgrade: Bool = false) throws(HTTPFailure) -> HTTPResponse {
    // libcurl takes a head that was cut short for a whole one.
    guard headIsComplete else { throw HTTPFailure(.network, "cannot reach \(origin): the connection was cut") }
    guard (200...999).contains(status) || isUpgrade && status == 101 else {
      throw HTTPFailure(.protocolViolation, "cannot understand the answer of \(origin): its status is \(status)")
    }
    do throws(Failure) {
      return HTTPResponse(status: status, block: try block.contents(), fields: fields, body: try body.contents())
    } catch { throw HTTPFailure(.request, error.message) }
  }
}

/// libcurl's callback for header lines.
func takeHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
  -> Int
{
  unsafe deliver(bytes, size, count, context) { unsafe $0.takeHeader($1) }
}

/// libcurl's callback for pieces of the body.
func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
  -> Int
{
  unsafe deliver(bytes, size, count, context) { unsafe $0.takeBody($1) }
}

// Returns how much was taken; less than was offered makes libcurl end the transfer.
private func deliver(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?,
  _ take: (Inbox, UnsafeRawBufferPointer) -> Bool
) -> Int {
  let (total, overflow) = size.multipliedReportingOverflow(by: count)
  guard !overflow, total >= 0, let context = unsafe context else { return 0 }
  let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
  if total == 0 { return 0 }
  return unsafe take(inbox, UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
}
