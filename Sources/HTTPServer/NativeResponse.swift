internal import Basics
internal import CMicroHTTPD

// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, whose casts Swift cannot read.
private let endOfStream = -1, endWithError = -2

/// Our answers as the library's.
enum NativeResponse {
  /// Queues an answer to a request. `MHD_NO` makes the library close the connection at once.
  static func send(_ response: ServerResponse, of exchange: Exchange, core: ServerCore) -> MHD_Result {
    if response.connection == .cutBeforeHead { return .NO }
    guard isSendable(response.status, response.body) else {
      return refuse("no answer has the status \(response.status)", exchange, core)
    }
    guard let native = unsafe make(response, core) else { return refuse("there is no memory left", exchange, core) }
    defer { unsafe MHD_destroy_response(native) }
    let isUpgrade = response.status == 101
    for field in response.headers.fields where !isOurs(field.name, isUpgrade: isUpgrade) {
      guard isValid(field), unsafe MHD_add_response_header(native, field.name, field.value) == .YES else {
        return refuse("the header field '\(OutsideText.clean(field.name, limit: 60))' cannot be sent", exchange, core)
      }
    }
    if response.connection != .keep { unsafe MHD_add_response_header(native, "Connection", "close") }
    return unsafe MHD_queue_response(exchange.connection, UInt32(response.status), native)
  }

  // A handler's answer that no client could read, for example with a line end inside a field: our own bug.
  private static func refuse(_ reason: String, _ exchange: Exchange, _ core: ServerCore) -> MHD_Result {
    if let request = exchange.request { core.onUnsendable?(request, reason) }
    guard let native = unsafe MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) else { return .NO }
    defer { unsafe MHD_destroy_response(native) }
    return unsafe MHD_queue_response(exchange.connection, 500, native)
  }

  private static func isSendable(_ status: Int, _ body: ServerResponse.Body) -> Bool {
    if case .upgrade = body { status == 101 } else { (200...999).contains(status) }
  }

  private static func isOurs(_ name: String, isUpgrade: Bool) -> Bool {
    HeaderFields.isSame(name, "Content-Length") || HeaderFields.isSame(name, "Transfer-Encoding")
      || !isUpgrade && HeaderFields.isSame(name, "Connection")
  }

  private static func isValid(_ field: HeaderFields.Field) -> Bool {
    !field.name.isEmpty && isText(field.name) && isText(field.value)
  }

  private static func isText(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

  private static func make(_ response: ServerResponse, _ core: ServerCore) -> OpaquePointer? {
    switch (response.body, response.connection) {
    // The handler itself stands in the exchange, which the library passes on.
    case (.upgrade, _): unsafe MHD_create_response_for_upgrade(takeOver, Unmanaged.passUnretained(core).toOpaque())
    case (.bytes(let bytes), .cutAfter(let count)):
      unsafe stream(UInt64(bytes.count), cutAfter: count) { sent, limit in
        Array(bytes.dropFirst(Int(clamping: sent)).prefix(limit))
      }
    case (.bytes(let bytes), _):
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe MHD_create_response_from_buffer(
          buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress), .RESPMEM_MUST_COPY)
      }
    case (.stream(let length, let producer), .cutAfter(let count)):
      unsafe stream(length, cutAfter: count, producer)
    case (.stream(let length, let producer), _): unsafe stream(length, cutAfter: nil, producer)
    }
  }

  private static func stream(
    _ length: UInt64?, cutAfter: Int?, _ producer: @escaping ServerResponse.BodyProducer
  ) -> OpaquePointer? {
    let source = unsafe Unmanaged.passRetained(Source(length: length, cutAfter: cutAfter, producer: producer))
    let native = unsafe MHD_create_response_from_callback(
      length ?? UInt64.max, 65_536,
      { context, sent, buffer, room in
        guard let context = unsafe context, let buffer = unsafe buffer else { return endWithError }
        return unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
          .fill(UnsafeMutableRawBufferPointer(start: buffer, count: room), sent: sent)
      }, source.toOpaque(),
      { context in
        if let context = unsafe context { unsafe Unmanaged<Source>.fromOpaque(context).release() }
      })
    if unsafe native == nil { unsafe source.release() }
    return unsafe native
  }

  /// Where a streamed body comes from.
  private final class Source {
    let length: UInt64?
    let cutAfter: Int?
    let producer: ServerResponse.BodyProducer

    init(length: UInt64?, cutAfter: Int?, producer: @escaping ServerResponse.BodyProducer) {
      self.length = length
      self.cutAfter = cutAfter
      self.producer = producer
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, sent: UInt64) -> Int {
      var room = buffer.count
      if let cutAfter {
        room = min(room, max(0, cutAfter - Int(clamping: sent)))
        if room == 0 { return endWithError }
      }
      guard let bytes = producer(sent, room) else { return endWithError }
      // A body that ends before its promised length would leave the client waiting.
      if bytes.isEmpty { return length == nil ? endOfStream : endWithError }
      let count = min(bytes.count, room)
      unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return count
    }
  }
}
