internal import Basics
internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

// The library calls these on its polling threads. A context pointer is a reference that the server holds until the
// library has stopped; a connection's is a retained OpenConnection, which holds the request that is on its way.
extension ServerCore {
  /// How many bytes over the limit are read and dropped, so that a client which sends before it listens sees the 413.
  private static let drainLimit = 262_144

  static func callbacks(context: UnsafeMutableRawPointer, hasTLS: Bool) -> mfs_http_callbacks {
    unsafe mfs_http_callbacks(
      context: context,
      accept: { context, _, _ in
        guard let core = unsafe ServerCore.from(context) else { return .NO }
        // The handshake, on this thread too, has no context of ours.
        core.mark()
        return core.isClosing.load(ordering: .relaxed) ? .NO : .YES
      },
      target: { context, target, connection in
        guard let core = unsafe ServerCore.from(context), let connection = unsafe connection else { return nil }
        core.mark()
        guard let open = unsafe OpenConnection.of(mfs_http_own(connection)) else { return nil }
        let exchange = unsafe Exchange(connection: connection, target: target)
        unsafe mfs_http_cut_query(target)
        if open.begin(exchange) { core.active.withLock(wake: .nobody) { $0 += 1 } }
        return unsafe Unmanaged.passUnretained(exchange).toOpaque()
      },
      handle: { context, connection, _, method, version, data, size, state in
        guard let core = unsafe ServerCore.from(context), let exchange = unsafe Exchange.from(state?.pointee),
          let size = unsafe size
        else { return .NO }
        guard exchange.headIsRead else {
          unsafe exchange.readHead(method: method, version: version)
          return core.begin(exchange)
        }
        guard unsafe size.pointee == 0 else {
          let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
          unsafe size.pointee = 0
          return unsafe core.take(bytes, of: exchange)
        }
        return core.complete(exchange)
      },
      completed: { context, connection, state, how in
        guard let core = unsafe ServerCore.from(context), let state = unsafe state else { return }
        unsafe core.deadlines.expect(mfs_http_socket(connection), within: core.timeToNextRequest)
        unsafe state.pointee = nil
        guard let open = unsafe OpenConnection.of(mfs_http_own(connection)) else { return }
        // One whose header or body was not read to its end, by us or by the library.
        if mfs_http_is_settled(how) != 0, let exchange = open.exchange { core.tellRefusal(of: exchange) }
        core.end(open)
      },
      connection: { context, connection, own, what in
        guard let core = unsafe ServerCore.from(context), let own = unsafe own else { return }
        let socket = unsafe mfs_http_socket(connection)
        if mfs_http_is_start(what) != 0 {
          unsafe own.pointee = unsafe Unmanaged.passRetained(OpenConnection()).toOpaque()
          core.deadlines.expect(socket, within: core.options.requestTimeout)
        } else {
          core.deadlines.forget(socket)
          guard let context = unsafe own.pointee else { return }
          unsafe own.pointee = nil
          let open = unsafe Unmanaged<OpenConnection>.fromOpaque(context).takeRetainedValue()
          // The library gave it up without a word to us: the target was read and nothing came of it.
          if let given = open.exchange { core.tellRefusal(of: given) }
          core.end(open)
        }
      },
      // Escapes are decoded by RequestTarget, which can tell a slash from an escaped one and says no to bad ones.
      unescape: { _, _, text in unsafe text.map { unsafe strlen($0) } ?? 0 },
      refused: { context, status in
        // Too long a target (RFC 9110 15.5.15): there is no request yet that could be completed.
        guard status == 414, let core = unsafe ServerCore.from(context) else { return }
        core.onRefusal?(nil)
      },
      certificate: hasTLS
        ? { _, _, _, _, _, certificates, count, key in
          guard let core = ServerCore.ofThisThread else { return -1 }
          return unsafe mfs_tls_pair_lend(core.identity.current, certificates, count, key)
        } : nil)
  }

  private func end(_ open: OpenConnection) {
    if open.end() { active.withLock { $0 -= 1 } }
  }

  private func tellRefusal(of exchange: Exchange) {
    guard !exchange.isSettled else { return }
    exchange.isSettled = true
    onRefusal?(exchange.rawTarget)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    unsafe context.map { unsafe Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
  }

  private var timeToNextRequest: Int {
    options.requestTimeout > 0 && options.idleTimeout > 0 ? options.requestTimeout + options.idleTimeout : 0
  }

  private func begin(_ exchange: Exchange) -> MHD_Result {
    guard exchange.target != nil else { return refuse(exchange, .badTarget) }
    guard exchange.isWellFormed else { return refuse(exchange, .badField) }
    guard exchange.hasOneLength else { return refuse(exchange, .ambiguousLength) }
    guard let length = exchange.headers.first("Content-Length").flatMap({ Int($0) }) else { return .YES }
    let mayDrain = exchange.headers.first("Expect") == nil ? ServerCore.drainLimit : 0
    guard length <= options.bodyLimit || length - options.bodyLimit <= mayDrain else {
      return refuse(exchange, .tooLarge)
    }
    return .YES
  }

  // An answer before the body was read: the rest is not wanted, so the connection cannot be used again.
  private func refuse(_ exchange: Exchange, _ response: ServerResponse) -> MHD_Result {
    var response = response
    response.connection = .close
    tellRefusal(of: exchange)
    return send(response, exchange)
  }

  private func send(_ response: ServerResponse, _ exchange: Exchange) -> MHD_Result {
    unsafe deadlines.expect(mfs_http_socket(exchange.connection), within: options.responseTimeout)
    var response = response
    if case .upgrade = response.body, !upgrades.hasRoom { response = .busy }
    if exchange.isLast, response.connection == .keep, response.status != 101 { response.connection = .close }
    exchange.response = response
    return NativeResponse.send(response, of: exchange, core: self)
  }

  // An answer that was made on this thread, whose connection is not suspended.
  private func send(onTime response: ServerResponse, _ exchange: Exchange) -> MHD_Result {
    guard response.delay > 0 else { return send(response, exchange) }
    exchange.response = response
    unsafe MHD_suspend_connection(exchange.connection)
    if !holdBack(exchange, for: response.delay) { unsafe MHD_resume_connection(exchange.connection) }
    return .YES
  }

  private func take(_ bytes: UnsafeRawBufferPointer, of exchange: Exchange) -> MHD_Result {
    guard unsafe exchange.take(bytes, limit: options.bodyLimit) else { return .NO }
    return exchange.excess <= ServerCore.drainLimit ? .YES : .NO
  }

  private func complete(_ exchange: Exchange) -> MHD_Result {
    if let response = exchange.response { return send(response, exchange) }
    if let response = answer(exchange) { return send(onTime: response, exchange) }
    unsafe deadlines.satisfied(mfs_http_socket(exchange.connection))
    if exchange.excess > 0 {
      tellRefusal(of: exchange)
      return send(.tooLarge, exchange)
    }
    exchange.isSettled = true
    guard let response = take(exchange) else { return .YES }
    return send(onTime: response, exchange)
  }
}

extension Exchange {
  fileprivate static func from(_ state: UnsafeMutableRawPointer?) -> Exchange? {
    unsafe state.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension ServerResponse {
  fileprivate static let badField = ServerResponse.plain("Bad header field\n", status: 400)
  fileprivate static let ambiguousLength = ServerResponse.plain("Ambiguous length\n", status: 400)
  fileprivate static let tooLarge = ServerResponse.plain("Body too large\n", status: 413)
}
