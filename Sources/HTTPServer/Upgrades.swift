internal import Basics
internal import CMicroHTTPD

/// The connections that speak another protocol, and their threads.
///
/// The library frees its handle of such a connection when it stops, whoever still holds it. So every handle is counted before
/// anything runs with it, and ``stop()`` returns only when each has been given back.
final class Upgrades: Sendable {
  private struct State {
    var next = 0
    /// Those whose handle is not given back yet.
    var open: [Int: UpgradedConnection] = [:]
    var threads: [Int: Thread] = [:]
    var ended: [Int] = []
    var isStopping = false
  }

  private let limit: Int
  private let state = Monitor(State())

  init(limit: Int) { self.limit = limit }

  /// Whether one more may go over.
  var hasRoom: Bool { state.withLock(wake: .nobody) { !$0.isStopping && $0.open.count < limit } }

  /// Runs a handler on a thread of its own; `close` gives the socket back. When the server stops, or there
  /// is no room for a thread, it is given back at once.
  func run(
    _ connection: UpgradedConnection, of core: ServerCore, _ handler: @escaping ServerResponse.UpgradeHandler,
    close: @escaping @Sendable () -> Void
  ) {
    reap()
    let isRunning = state.withLock(wake: .nobody) { state in
      guard !state.isStopping else { return false }
      state.next += 1
      let id = state.next
      // Under the lock: a stop sees the connection with its thread, or neither.
      guard
        let thread = try? Thread({
          core.mark()
          handler(connection)
          if !connection.isToBeReset { connection.linger() }
          connection.forget()
          close()
          self.end(id)
        })
      else { return false }
      state.open[id] = connection
      state.threads[id] = thread
      return true
    }
    if !isRunning {
      connection.forget()
      close()
    }
  }

  private func end(_ id: Int) {
    state.withLock {
      $0.open[id] = nil
      $0.ended.append(id)
    }
  }

  /// Waits for the threads that are done.
  private func reap() {
    let done = state.withLock(wake: .nobody) { state in
      defer { state.ended = [] }
      return state.ended.compactMap { state.threads.removeValue(forKey: $0) }
    }
    for thread in done { thread.join() }
  }

  /// Lets no more go over, shuts down those that are there and waits until their handlers have returned.
  func stop() {
    let (open, threads) = state.withLock(wake: .nobody) { state -> ([UpgradedConnection], [Thread]) in
      state.isStopping = true
      defer { state.threads = [:] }
      return (Array(state.open.values), Array(state.threads.values))
    }
    for connection in open { connection.shutDown() }
    for thread in threads { thread.join() }
    _ = state.wait { $0.open.isEmpty ? true : nil }
  }
}

/// The library's handle of a connection that it has handed over; it is passed to the thread that gives it back.
private struct Handle: Sendable {
  let address: UInt

  func close() {
    if let handle = unsafe OpaquePointer(bitPattern: address) { unsafe mfs_http_close_upgraded(handle) }
  }
}

/// The library calls this on a polling thread once the answer of status 101 is sent: the socket is ours until it is given back.
func takeOver(
  _ core: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ request: UnsafeMutableRawPointer?,
  _ early: UnsafePointer<CChar>?, _ earlyCount: Int, _ socket: Int32, _ handle: OpaquePointer?
) {
  let handle = Handle(address: UInt(bitPattern: handle))
  guard let core = unsafe core, let request = unsafe request else { return handle.close() }
  let server = unsafe Unmanaged<ServerCore>.fromOpaque(core).takeUnretainedValue()
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
  // How long it lasts is from here on the handler's to say.
  server.deadlines.satisfied(socket)
  guard case .upgrade(let handler)? = exchange.response?.body,
    let upgraded = try? UpgradedConnection(
      socket: socket, early: unsafe [UInt8](UnsafeRawBufferPointer(start: early, count: early == nil ? 0 : earlyCount)),
      peer: exchange.peer)
  else { return handle.close() }
  server.upgrades.run(upgraded, of: server, handler) { handle.close() }
}
