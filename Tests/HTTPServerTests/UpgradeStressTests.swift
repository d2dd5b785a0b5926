import Basics
import HTTPServer
import HTTPTestSupport
import Testing

/// Servers that are stopped, or let go, while connections go over to another protocol and end from either side. A connection
/// that is given back to the library too late, or twice, ends the process.
@Suite(.serialized) struct UpgradeStressTests {
  private struct Count {
    var begun = 0
    var ended = 0
    var clients = 0
    var upgraded = 0
  }

  /// Of a server that has stopped, no handler runs.
  @Test func noStopCutsAHandlerOff() throws {
    let deadline = MonotonicInstant.now().advanced(bySeconds: 1.5)
    var round = 0, upgraded = 0
    while MonotonicInstant.now() < deadline {
      round += 1
      let count = Monitor(Count())
      var server: Server? = try UpgradeStressTests.server(ioThreads: 1 + round % 3, count)
      let port = try #require(server?.port)
      for client in 0..<6 {
        count.withLock { $0.clients += 1 }
        let number = client + round
        let thread = try Thread {
          UpgradeStressTests.visit(port, number, count)
          count.withLock { $0.clients -= 1 }
        }
        thread.detach()
      }
      // Not always the same moment: none there yet, some, all.
      _ = count.wait(until: .now().advanced(byMilliseconds: 20)) { $0.upgraded >= round % 8 ? true : nil }
      switch round % 3 {
      case 0: server?.stop(grace: 0)
      case 1: server?.stop()
      default: break
      }
      server = nil
      #expect(count.withLock { $0.begun == $0.ended }, "a handler still ran when the server had stopped")
      #expect(count.wait(until: .now().advanced(bySeconds: 20)) { $0.clients == 0 ? true : nil } == true)
      upgraded += count.withLock { $0.upgraded }
    }
    #expect(upgraded > round, "\(upgraded) connections in \(round) rounds")
  }

  private static func server(ioThreads: Int, _ count: Monitor<Count>) throws -> Server {
    var options = ServerOptions()
    options.ioThreads = ioThreads
    options.workers = 3
    return try Server(options: options) { request in
      let kind = request.target.path
      return .upgrade(to: "echo") { connection in
        count.withLock { $0.begun += 1 }
        if kind != "/at-once" {
          let bytes = connection.read(until: .now().advanced(bySeconds: 20))
          _ = connection.write(bytes ?? [], until: .now().advanced(bySeconds: 1))
        }
        if kind == "/reset" { connection.reset() }
        count.withLock { $0.ended += 1 }
      }
    }
  }

  /// Goes over, and leaves in one of many ways.
  private static func visit(_ port: UInt16, _ number: Int, _ count: Monitor<Count>) {
    for turn in 0..<3 {
      guard let connection = try? RawConnection(port: port) else { return }
      let kind = ["at-once", "reset", "echo"][(number + turn) % 3]
      let request = "GET /\(kind) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
      connection.send(request + (number % 2 == 0 ? "early" : ""))
      guard number % 5 != 0 else { continue }
      guard connection.head()?.status == 101 else { return }
      count.withLock { $0.upgraded += 1 }
      switch (number + turn) % 4 {
      case 0: break
      case 1: connection.finishSending()
      case 2: connection.send("end")
      default: _ = connection.rest()
      }
    }
  }
}
