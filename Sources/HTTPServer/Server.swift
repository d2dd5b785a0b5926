public import Basics
internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd: it reads and writes on threads of its own and calls the handler on others, so a
/// slow handler or a slow client holds up nobody else.
///
/// A request reaches the handler complete, within the limits of ``ServerOptions``. What is malformed, too long or too
/// slow is answered or cut here.
@safe public final class Server: Sendable {
  /// Answers a request. It runs on one of the worker threads, several at a time.
  public typealias Handler = @Sendable (ServerRequest) -> ServerResponse
  /// Is given a complete request first, on one of the threads that read and write, and says what becomes of it. It must not wait: while
  /// it works, those connections that its thread looks after stand still. ``PendingAnswer`` is for ``FirstStep/later`` alone.
  public typealias FirstHandler = @Sendable (ServerRequest, PendingAnswer) -> FirstStep
  /// Is told the target, as it was sent, of a request that is refused before it reaches the handler: the target is not UTF-8
  /// or has a bad escape, the header or the body is too long or malformed, memory ran out, or the connection failed in the midst of it.
  /// Nil when the target itself is too long to be read. It is told once for a request, and also where the connection is cut without
  /// an answer. It runs on one of the threads that read and write, and must not wait.
  public typealias RefusalHandler = @Sendable (String?) -> Void

  /// Is told the request and the reason when an answer cannot be sent, such as one with a line end in a header field; the client gets
  /// an empty 500 instead, whatever the handler's status was. It runs on one of the threads that read and write, and must not wait.
  public typealias UnsendableHandler = @Sendable (ServerRequest, _ reason: String) -> Void

  /// The port that the server listens on.
  public let port: UInt16
  /// `http://ADDRESS:PORT`, or `https` with TLS; an IPv6 address in brackets.
  public let origin: String

  private struct Running {
    // What `mfs_http_start` gave; a number, because it is passed between threads.
    var daemon: UInt
    var threads: [Thread]
  }

  private let hasTLS: Bool
  private let core: ServerCore
  private let running: Monitor<Running?>

  /// Starts to listen and to serve. The first step says of each request what becomes of it.
  ///
  /// Throws ``FailureCode/usage`` when the address is not numeric or not one of this machine's, ``FailureCode/exists``
  /// when another program listens there, ``FailureCode/inputOutput`` when the system has no room. With an identity TLS 1.2 and 1.3
  /// are spoken and nothing else, and no connection goes over to another protocol; ``FailureCode/configuration`` is thrown when
  /// the identity cannot be used.
  public init(
    options: ServerOptions = ServerOptions(), identity: ServerIdentity? = nil, first: @escaping FirstHandler,
    onRefusal: RefusalHandler? = nil, onUnsendable: UnsendableHandler? = nil
  ) throws(Failure) {
    let listener = try Listener(
      address: options.address, port: options.port, addressName: options.addressName, portName: options.portName)
    port = listener.port
    origin =
      (identity == nil ? "http://" : "https://")
      + (options.address.contains(":") ? "[\(options.address)]" : options.address) + ":\(listener.port)"
    var options = options
    if identity != nil { options.upgradeLimit = 0 }
    options.connectionLimit = min(options.connectionLimit, Server.mostConnections)
    core = ServerCore(options: options, first: first, onRefusal: onRefusal, onUnsendable: onUnsendable)
    running = Monitor(nil)
    hasTLS = identity != nil
    if let identity { try core.identity.show(identity, handshakeSeconds: 0) }
    let daemon = try Server.startDaemon(core, listener, hasTLS: hasTLS)
    var threads: [Thread] = []
    do throws(Failure) {
      let core = core
      threads.append(try Thread { core.keepHouse() })
      for _ in 0..<max(1, options.workers) { threads.append(try Thread { core.work() }) }
    } catch {
      running.withLock { $0 = Running(daemon: daemon, threads: threads) }
      stop(grace: 0)
      throw error
    }
    running.withLock { $0 = Running(daemon: daemon, threads: threads) }
  }

  /// The same for a server whose handler answers each request, on a worker.
  public convenience init(
    options: ServerOptions = ServerOptions(), identity: ServerIdentity? = nil, handler: @escaping Handler,
    onRefusal: RefusalHandler? = nil, onUnsendable: UnsendableHandler? = nil
  ) throws(Failure) {
    try self.init(
      options: options, identity: identity, first: { request, _ in .worker { handler(request) } },
      onRefusal: onRefusal, onUnsendable: onUnsendable)
  }

  deinit { stop(grace: 0) }

  /// How many connections the process has descriptors for, and some left for all else that it opens: who connects must not keep it
  /// from reading its own files.
  private static var mostConnections: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 128 }
    return max(8, Int(clamping: limit.rlim_cur) - 64)
  }

  private static func startDaemon(
    _ core: ServerCore, _ listener: consuming Listener, hasTLS: Bool
  ) throws(Failure) -> UInt {
    let context = unsafe Unmanaged.passRetained(core)
    var calls = unsafe ServerCore.callbacks(context: context.toOpaque(), hasTLS: hasTLS)
    var limits = mfs_http_limits(
      threads: UInt32(clamping: core.options.ioThreads), connections: UInt32(clamping: core.options.connectionLimit),
      connections_per_address: UInt32(clamping: core.options.connectionsPerAddress),
      idle_seconds: UInt32(clamping: core.options.idleTimeout), connection_memory: core.options.connectionMemory)
    // The library's threads inherit the mask: signals are for the program's main thread.
    let blocked = SignalMask.blockAll()
    defer { blocked.restore() }
    let daemon = unsafe mfs_http_start(listener.descriptor.raw, &calls, &limits)
    guard daemon != 0 else {
      unsafe context.release()
      throw Failure(.inputOutput, "cannot start the HTTP server")
    }
    _ = listener.intoDescriptor().release()
    return daemon
  }

  /// Shows another certificate and key to all who connect from now on. Connections that are open stay as they are.
  ///
  /// Throws ``FailureCode/configuration`` when the pair cannot be used, or the server speaks no TLS; then nothing changes.
  public func show(_ identity: ServerIdentity) throws(Failure) {
    guard hasTLS else { throw Failure(.configuration, "the server speaks no TLS, so it has no certificate") }
    // A connection whose handshake takes longer than a request may is closed; the sweep that does it comes by twice a second.
    let limit = core.options.requestTimeout
    try core.identity.show(identity, handshakeSeconds: limit > 0 ? limit + 30 : 0)
  }

  /// Stops: no new connections, the requests that were read are handled, answers get `grace` seconds to be sent, held
  /// back ones are cut, and connections that speak another protocol are shut down. Returns when every thread has ended. Stopping twice is fine.
  ///
  /// On one of the server's own threads, as in a handler, it returns at once, and the server ends when that thread lets it.
  public func stop(grace: Double = 1) {
    guard
      let running = running.withLock({ running -> Running? in
        defer { running = nil }
        return running
      })
    else { return }
    let core = core
    guard core.isOnOwnThread else { return Server.stop(core, running, grace) }
    do throws(Failure) { try Thread { Server.stop(core, running, grace) }.detach() } catch {
      // Another try may find room for a thread; until then it serves on.
      self.running.withLock { $0 = running }
    }
  }

  private static func stop(_ core: ServerCore, _ running: Running, _ grace: Double) {
    // Not by MHD_quiesce_daemon: in version 0.9.75 it and the polling threads take the listening socket out of the same epoll
    // set at the same time, and end the process when the other one was quicker.
    core.isClosing.store(true, ordering: .relaxed)
    // What was begun is finished, as it would be by a handler; what finishes it may need a worker.
    core.pending.withLock { $0.isStopping = true }
    _ = core.pending.wait { $0.count == 0 ? true : nil }
    core.queue.withLock { $0.isStopping = true }
    core.delayed.withLock { $0.isStopping = true }
    core.upgrades.stop()
    for thread in running.threads { thread.join() }
    if grace > 0 { _ = core.active.wait(until: .now().advanced(bySeconds: grace)) { $0 == 0 ? true : nil } }
    mfs_http_stop(running.daemon)
    unsafe Unmanaged.passUnretained(core).release()
  }
}
