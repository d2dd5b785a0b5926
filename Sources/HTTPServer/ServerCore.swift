internal import Basics
internal import CMicroHTTPD
internal import Synchronization

/// What the library's callbacks and our threads share.
final class ServerCore: Sendable {
  struct Queue {
    /// What answers a request stands beside it.
    var waiting: [(exchange: Exchange, make: @Sendable () -> ServerResponse)] = []
    var isStopping = false
  }
  struct Delayed {
    var answers: [(due: MonotonicInstant, exchange: Exchange)] = []
    var isStopping = false
  }

  let options: ServerOptions
  let first: Server.FirstHandler
  let onRefusal: Server.RefusalHandler?
  let onUnsendable: Server.UnsendableHandler?
  /// Requests that are answered later and are not ready.
  let pending = Monitor(Pending())
  let queue = Monitor(Queue())
  let delayed = Monitor(Delayed())
  let deadlines = ConnectionDeadlines()
  let upgrades: Upgrades
  let identity = ShownIdentity()
  /// Whether new connections are closed at once.
  let isClosing = Atomic(false)
  /// How many requests have begun and are not finished.
  let active = Monitor(0)

  init(
    options: ServerOptions, first: @escaping Server.FirstHandler, onRefusal: Server.RefusalHandler?,
    onUnsendable: Server.UnsendableHandler?
  ) {
    self.options = options
    self.first = first
    self.onRefusal = onRefusal
    self.onUnsendable = onUnsendable
    upgrades = Upgrades(limit: options.upgradeLimit)
  }

  /// Hands a complete request to the workers, its connection suspended; what it returns instead is answered at once.
  func dispatch(_ exchange: Exchange, _ make: @escaping @Sendable () -> ServerResponse) -> ServerResponse? {
    queue.withLock(wake: .one) { queue in
      // Nothing was done for it yet, and the client is told so: one that is cut off cannot know.
      if queue.isStopping { return .stopping }
      guard queue.waiting.count < options.queueLimit else {
        return .busy
      }
      unsafe MHD_suspend_connection(exchange.connection)
      queue.waiting.append((exchange, make))
      return nil
    }
  }

  /// What a worker thread does until the server stops. What was queued before that is still handled.
  func work() {
    mark()
    while let (exchange, make) = nextExchange() {
      let response = make()
      exchange.response = response
      if response.delay > 0, holdBack(exchange, for: response.delay) { continue }
      unsafe MHD_resume_connection(exchange.connection)
    }
  }

  private func nextExchange() -> (Exchange, @Sendable () -> ServerResponse)? {
    queue.wait { queue -> (Exchange, @Sendable () -> ServerResponse)?? in
      if !queue.waiting.isEmpty { return .some(queue.waiting.removeFirst()) }
      return queue.isStopping ? .some(nil) : nil
    } ?? nil
  }

  func holdBack(_ exchange: Exchange, for seconds: Double) -> Bool {
    delayed.withLock { delayed in
      guard !delayed.isStopping else { return false }
      delayed.answers.append((.now().advanced(bySeconds: seconds), exchange))
      return true
    }
  }

  /// What the housekeeping thread does until the server stops: gives out delayed answers when they are due and closes
  /// connections whose request takes too long.
  func keepHouse() {
    mark()
    var nextSweep = MonotonicInstant.now().advanced(bySeconds: 0.5)
    while true {
      var isStopping = false
      let wakeUp =
        delayed.withLock(wake: .nobody) { $0.answers.map(\.due).min() }.map { min($0, nextSweep) } ?? nextSweep
      let due = delayed.wait(until: wakeUp) { delayed -> [Exchange]? in
        isStopping = delayed.isStopping
        let now = MonotonicInstant.now()
        let due = delayed.answers.filter { isStopping || $0.due <= now }.map(\.exchange)
        delayed.answers.removeAll { isStopping || $0.due <= now }
        // An answer that was added meanwhile may be due before the moment we wait for.
        let isSooner = delayed.answers.contains { $0.due < wakeUp }
        return due.isEmpty && !isStopping && !isSooner ? nil : due
      }
      for exchange in due ?? [] {
        if isStopping { exchange.response = .cut }
        unsafe MHD_resume_connection(exchange.connection)
      }
      if isStopping { return }
      if MonotonicInstant.now() >= nextSweep {
        deadlines.closeOverdue()
        nextSweep = MonotonicInstant.now().advanced(bySeconds: 0.5)
      }
    }
  }
}

extension ServerResponse {
  static let busy = ServerResponse.plain("Busy\n", status: 503, headers: ["Retry-After": "1"])
  static let stopping = ServerResponse(
    status: 503, headers: ["Content-Type": "text/plain; charset=utf-8", "Retry-After": "1"],
    body: .bytes(Array("Stopping\n".utf8)), connection: .close)
  static let badTarget = ServerResponse.plain("Bad request target\n", status: 400)
}
