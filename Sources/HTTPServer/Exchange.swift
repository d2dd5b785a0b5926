internal import Basics
internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One request and its answer, from the request line to the end of the answer.
///
/// It is passed on, never shared: the polling thread fills it, suspends the connection and queues it; a worker answers
/// it and resumes the connection, whereupon the polling thread has it again. The locks of the queue and of the library
/// order these steps.
@safe final class Exchange: @unchecked Sendable {
  let connection: OpaquePointer
  let rawTarget: String
  /// Where the target was received. The head stays there until it is read.
  private let received: UnsafeBufferPointer<CChar>
  var method = ""
  var headers = HeaderFields()
  var body = RequestBody()
  var peer = "unknown"
  var headIsRead = false
  /// Whether the head is what the library said of it and nothing else.
  private var isWhole = false
  private var head: RequestHead?
  /// Whether it is settled what becomes of it: it is handled, or it is told that it is refused.
  var isSettled = false
  /// Bytes of the body beyond the limit, which are read and dropped.
  var excess = 0
  var target: RequestTarget?
  /// What the worker answered.
  var response: ServerResponse?
  /// How far it is when its answer comes later.
  let waiting = Atomic(WaitingState.first)
  /// How it is answered then; whoever changes `waiting` to ready sets it before.
  var answering: (place: PendingAnswer.Place, make: @Sendable () -> ServerResponse)?

  init(connection: OpaquePointer, target: UnsafePointer<CChar>?) {
    unsafe self.connection = unsafe connection
    rawTarget = unsafe target.map { unsafe String(cString: $0) } ?? ""
    unsafe received = UnsafeBufferPointer(start: target, count: target.map { unsafe strlen($0) } ?? 0)
  }

  /// Takes what is known once the header is complete.
  func readHead(method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) {
    headIsRead = true
    if let method = unsafe method { self.method = unsafe String(cString: method) }
    unsafe peer = numericAddress(mfs_http_peer(connection))
    target = RequestTarget(rawTarget)
    unsafe head = RequestHead(
      method: method, target: received.baseAddress, targetSize: received.count, version: version)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe MHD_get_connection_values_n(
      connection, .HEADER_KIND,
      { context, _, name, nameSize, value, valueSize in
        guard let context = unsafe context else { return .NO }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        unsafe exchange.headers.add(text(name, nameSize, isName: true), text(value, valueSize))
        unsafe exchange.head?.add(name: name, nameSize, value: value, valueSize)
        return .YES
      }, context)
    unsafe isWhole = head?.isWhole(size: mfs_http_head_size(connection)) ?? false
  }

  /// Whether the header is what RFC 9112 allows, where the library takes more: it is all that there was, a name is a token, so that a
  /// blank before the colon hides no length (5.1), a value has no control characters (RFC 9110 5.5), and one host at most is named (3.2).
  var isWellFormed: Bool {
    isWhole && headers.all("Host").count <= 1
      && headers.fields.allSatisfy { field in
        HTTPToken.isValid(field.name) && field.value.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
      }
  }

  /// Whether no other request is taken from its connection. Of chunks, and the fields after them, the library takes what others read
  /// otherwise; and where there is no length, one may have been meant.
  var isLast: Bool {
    headers.first("Transfer-Encoding") != nil
      || ["POST", "PUT", "PATCH"].contains(method) && headers.first("Content-Length") == nil
  }

  /// Whether there is no doubt where the body ends. With two lengths, or a length and chunks, a proxy in front may see
  /// another end than we do, and take what one client sent for the request of another (RFC 9112 6.3).
  var hasOneLength: Bool {
    let lengths = headers.all("Content-Length"), codings = headers.all("Transfer-Encoding")
    guard codings.isEmpty else {
      return codings.count == 1 && HeaderFields.isSame(codings[0], "chunked") && lengths.isEmpty
    }
    return lengths.count <= 1
  }

  /// Takes a part of the body; what is over `limit` is counted and dropped. False when memory ran out.
  func take(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    let fits = min(bytes.count, max(0, limit - body.count))
    excess += bytes.count - fits
    return unsafe body.append(UnsafeRawBufferPointer(rebasing: bytes[..<fits]))
  }

  /// The complete request; nil when its target cannot be understood.
  var request: ServerRequest? {
    target.map { ServerRequest(method: method, target: $0, headers: headers, body: body, peer: peer) }
  }
}

// The library leaves the blanks after a value in place (RFC 9110 5.5: they are no part of it).
private func text(_ base: UnsafePointer<CChar>?, _ size: Int, isName: Bool = false) -> String {
  var bytes = unsafe UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : size)[...]
  while !isName, let last = unsafe bytes.last, last == 0x20 || last == 0x09 { unsafe bytes.removeLast() }
  return unsafe String(decoding: bytes, as: UTF8.self)
}
