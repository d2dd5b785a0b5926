internal import Basics
internal import CMicroHTTPD
internal import Synchronization

/// One request and its answer, from the request line to the end of the answer.
///
/// It is passed on, never shared: the polling thread fills it, suspends the connection and queues it; a worker answers
/// it and resumes the connection, whereupon the polling thread has it again. The locks of the queue and of the library
/// order these steps.
@safe final class Exchange: @unchecked Sendable {
  let connection: OpaquePointer
  let rawTarget: String
  var method = ""
  var headers = HeaderFields()
  var body = RequestBody()
  var peer = "unknown"
  var headIsRead = false
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

  init(connection: OpaquePointer, rawTarget: String) {
    unsafe self.connection = unsafe connection
    self.rawTarget = rawTarget
  }

  /// Takes what is known once the header is complete.
  func readHead(method: UnsafePointer<CChar>?) {
    headIsRead = true
    if let method = unsafe method { self.method = unsafe String(cString: method) }
    unsafe peer = numericAddress(mfs_http_peer(connection))
    target = RequestTarget(rawTarget)
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe MHD_get_connection_values_n(
      connection, .HEADER_KIND,
      { context, _, name, nameSize, value, valueSize in
        guard let context = unsafe context else { return .NO }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        unsafe exchange.headers.add(text(name, nameSize, isName: true), text(value, valueSize))
        return .YES
      }, context)
  }

  /// Whether the header is what RFC 9112 allows, where the library takes more: a name is a token, so that a blank before the colon
  /// hides no length (5.1), and one host at most is named (3.2).
  var isWellFormed: Bool {
    headers.fields.allSatisfy { HTTPToken.isValid($0.name) } && headers.all("Host").count <= 1
  }

  /// Whether there is no doubt where the body ends. With two lengths, or a length and chunks, a proxy in front may see
  /// another end than we do, and take what one client sent for the request of another (RFC 9112 6.3).
  var hasOneLength: Bool {
    let lengths = headers.all("Content-Length"), codings = headers.all("Transfer-Encoding")
    guard codings.isEmpty else { return codings.count == 1 && codings[0].lowercased() == "chunked" && lengths.isEmpty }
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
