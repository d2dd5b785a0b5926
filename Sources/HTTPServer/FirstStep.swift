internal import Basics
internal import CMicroHTTPD
internal import Synchronization

/// What is done at once with a complete request, on the thread that read it: see ``Server/FirstHandler``.
public enum FirstStep: Sendable {
  /// This is the answer.
  case answer(ServerResponse)
  /// This answers, on a worker.
  case worker(@Sendable () -> ServerResponse)
  /// The answer comes later, by ``PendingAnswer``.
  case later
}

/// A request whose answer is made later, when what it waits for has come. No thread waits meanwhile.
public struct PendingAnswer: Sendable {
  /// Where an answer is made.
  public enum Place: Sendable {
    /// On the thread that sends it: for what takes well under a millisecond and waits for nothing.
    case sender
    /// On a worker, which may wait.
    case worker
  }

  let exchange: Exchange
  let core: ServerCore
  /// Whether no other request is on its way through the server now.
  public let isAlone: Bool

  /// Says how the answer is made. To be called once, from any thread, for a request whose first step is ``FirstStep/later``;
  /// it may be called before that step has returned.
  public func finish(on place: Place, _ make: @escaping @Sendable () -> ServerResponse) {
    exchange.answering = (place, make)
    // Suspended: whose thread reads and writes must be told. Otherwise it is just now in the first step, and looks by itself.
    guard exchange.waiting.exchange(.ready, ordering: .acquiringAndReleasing) == .suspended else { return }
    core.proceed(exchange)
  }
}

/// How far a request is that is answered later.
enum WaitingState: UInt8, AtomicRepresentable {
  /// Its first step is not over.
  case first
  /// Its connection is suspended.
  case suspended
  /// How it is answered is known.
  case ready
}

extension ServerCore {
  struct Pending {
    var count = 0
    var isStopping = false
  }

  /// The first step of a complete request. Returns an answer that is to be sent at once.
  func take(_ exchange: Exchange) -> ServerResponse? {
    guard let request = exchange.request else { return .badTarget }
    let isStopping = pending.withLock(wake: .nobody) { pending in
      if !pending.isStopping { pending.count += 1 }
      return pending.isStopping
    }
    if isStopping { return .stopping }
    let isAlone = active.withLock(wake: .nobody) { $0 } == 1
    let step = first(request, PendingAnswer(exchange: exchange, core: self, isAlone: isAlone))
    guard case .later = step else {
      endPending()
      switch step {
      case .answer(let response): return response
      case .worker(let make): return dispatch(exchange, make)
      case .later: return nil
      }
    }
    // The usual way of who is alone: everything is known already.
    if exchange.waiting.load(ordering: .acquiring) == .ready, let response = answer(exchange) {
      endPending()
      return response
    }
    unsafe MHD_suspend_connection(exchange.connection)
    let known = exchange.waiting.compareExchange(
      expected: .first, desired: .suspended, ordering: .acquiringAndReleasing)
    if !known.exchanged { proceed(exchange) }
    return nil
  }

  private func endPending() {
    pending.update { pending in
      pending.count -= 1
      return ((), pending.isStopping ? .all : .nobody)
    }
  }

  /// Makes the answer of a request that was ready, where that is to be done by the thread that sends; nil when a worker has to.
  func answer(_ exchange: Exchange) -> ServerResponse? {
    guard let answering = exchange.answering, answering.place == .sender else { return nil }
    exchange.answering = nil
    return answering.make()
  }

  /// Goes on with a suspended request that is ready. Until here it counts as pending: the workers leave when none is.
  func proceed(_ exchange: Exchange) {
    defer { endPending() }
    guard let answering = exchange.answering, answering.place == .worker else {
      unsafe MHD_resume_connection(exchange.connection)
      return
    }
    exchange.answering = nil
    queue.withLock(wake: .one) { $0.waiting.append((exchange, answering.make)) }
  }
}
