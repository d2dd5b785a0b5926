import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// Requests whose first step is on the thread that read them: see ``FirstStep``.
@Suite struct FirstStepTests {
  /// A server that does with a request what its path says. Those that wait are put into `waiting`.
  private static func server(
    _ waiting: Monitor<[PendingAnswer]>, _ change: (inout ServerOptions) -> Void = { _ in }
  ) throws -> Server {
    var options = ServerOptions()
    options.ioThreads = 2
    change(&options)
    return try Server(
      options: options,
      first: { request, pending in
        switch request.target.path {
        case "/now": return .answer(.plain("now\n", status: 200))
        case "/delayed":
          var response = ServerResponse.plain("delayed\n", status: 200)
          response.delay = 0.05
          return .answer(response)
        case "/worker": return .worker { .plain("worker\n", status: 200) }
        case "/early", "/early-worker":
          let place: PendingAnswer.Place = request.target.path == "/early" ? .sender : .worker
          pending.finish(on: place) { .plain("early\n", status: 200) }
          return .later
        case "/alone":
          pending.finish(on: .sender) { .plain("\(pending.isAlone)\n", status: 200) }
          return .later
        case "/later":
          waiting.withLock { $0.append(pending) }
          return .later
        default: return .answer(.plain("none\n", status: 404))
        }
      })
  }

  @Test(arguments: [
    ("/now", "now"), ("/delayed", "delayed"), ("/worker", "worker"), ("/early", "early"), ("/early-worker", "early"),
    ("/alone", "true"),
  ])
  func eachStepIsDone(path: String, expected: String) throws {
    let server = try FirstStepTests.server(Monitor([]))
    let connection = try RawConnection(port: server.port)
    for _ in 0..<20 {
      connection.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
      let response = try #require(connection.response())
      #expect(response.status == 200)
      #expect(response.text == expected + "\n")
    }
  }

  @Test(arguments: [PendingAnswer.Place.sender, .worker])
  func whatWaitsTakesNoThread(_ place: PendingAnswer.Place) throws {
    let waiting = Monitor<[PendingAnswer]>([])
    // Far fewer threads than requests that wait.
    let server = try FirstStepTests.server(waiting) { $0.workers = 1 }
    let connections = try (0..<100).map { _ in try RawConnection(port: server.port) }
    for connection in connections { connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n") }
    let pending = waiting.wait { $0.count == 100 ? $0 : nil }
    // Others are served meanwhile, and none of them is alone.
    #expect(try exchange(server.port, "GET", "/now")?.text == "now\n")
    #expect(try exchange(server.port, "GET", "/worker")?.text == "worker\n")
    #expect(try exchange(server.port, "GET", "/alone")?.text == "false\n")
    for (number, one) in pending.enumerated() { one.finish(on: place) { .plain("\(number)\n", status: 200) } }
    let texts = connections.map { $0.response()?.text ?? "none" }
    #expect(Set(texts) == Set((0..<100).map { "\($0)\n" }))
  }

  /// The moment in which the connection is suspended: answers come from another thread, before, in and after it.
  @Test func answersThatRaceWithTheFirstStep() throws {
    let finisher = Monitor<(queue: [PendingAnswer], isOver: Bool)>(([], false))
    let thread = try Thread {
      while let next = finisher.wait({ state -> PendingAnswer?? in
        if let one = state.queue.popLast() { return .some(one) }
        return state.isOver ? .some(nil) : nil
      }) {
        next.finish(on: .sender) { .plain("raced\n", status: 200) }
      }
    }
    let server = try Server(first: { _, pending in
      finisher.withLock { $0.queue.append(pending) }
      return .later
    })
    let connection = try RawConnection(port: server.port)
    for _ in 0..<2_000 {
      connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(connection.response()?.text == "raced\n")
    }
    finisher.withLock { $0.isOver = true }
    thread.join()
  }

  @Test func stoppingWaitsForWhatIsBegunAndBeginsNothing() throws {
    let waiting = Monitor<[PendingAnswer]>([])
    let server = try FirstStepTests.server(waiting)
    let connection = try RawConnection(port: server.port), other = try RawConnection(port: server.port)
    connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
    let pending = waiting.wait { $0.first }
    let isStopped = Monitor(false)
    let stopper = try Thread {
      server.stop()
      isStopped.withLock { $0 = true }
    }
    // Once it is stopping, nothing new is begun.
    var refused: String?
    while refused == nil {
      other.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
      guard let response = other.response() else { break }
      if response.status == 503 { refused = response.text }
    }
    #expect(refused == "Stopping\n")
    #expect(!isStopped.withLock { $0 })
    pending.finish(on: .worker) { .plain("done\n", status: 200) }
    stopper.join()
    #expect(connection.response()?.text == "done\n")
  }

  /// The worker that is to answer must not leave between the moment in which the answer is known and the end of the first step.
  @Test func stoppingWaitsForWhatIsReadyInItsFirstStep() throws {
    let state = Monitor((isReady: false, mayReturn: false))
    let server = try Server(first: { _, pending in
      pending.finish(on: .worker) { .plain("done\n", status: 200) }
      state.withLock { $0.isReady = true }
      state.wait { $0.mayReturn ? () : nil }
      return .later
    })
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    state.wait { $0.isReady ? () : nil }
    let stopper = try Thread { server.stop() }
    // Long enough for a stop that waits for nobody to have let the workers go.
    _ = state.wait(until: .now().advanced(bySeconds: 0.5)) { $0.mayReturn ? () : nil }
    state.withLock { $0.mayReturn = true }
    stopper.join()
    #expect(connection.response()?.text == "done\n")
  }

  @Test func aClientThatLeavesWhileItWaits() throws {
    let waiting = Monitor<[PendingAnswer]>([])
    let server = try FirstStepTests.server(waiting)
    do {
      let connection = try RawConnection(port: server.port)
      connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = waiting.wait { $0.first }
    }
    waiting.withLock { $0.first }?.finish(on: .sender) { .plain("to nobody\n", status: 200) }
    #expect(try exchange(server.port, "GET", "/now")?.text == "now\n")
  }
}
