import Foundation
import TestSupport
import Testing

/// Settings of how the server runs, which show at a process only.
@Suite struct ServerSettingsTests {
  private func status(_ daemon: Daemon, seconds: Int = 2) throws -> Int32 {
    try run(
      ["curl", "--silent", "--fail", "--max-time", String(seconds), daemon.origin + "/healthz"], in: daemon.sandbox
    )
    .status
  }

  /// Holds so many connections open, which say nothing, while `body` runs.
  private func holding(_ count: Int, _ daemon: Daemon, _ body: () throws -> Void) throws {
    let port = try #require(daemon.origin.split(separator: ":").last)
    let hold = """
      import socket, sys, time
      held = [socket.create_connection(("127.0.0.1", \(port))) for _ in range(\(count))]
      print("held", flush=True)
      time.sleep(30)
      """
    let holder = try Background(["/usr/bin/python3", "-c", hold], in: daemon.sandbox)
    #expect(holder.text { $0.contains("held") }.contains("held"), "\(holder.errorText)")
    try body()
  }

  @Test(arguments: ["MFS_AUTHD_CONNECTIONS_PER_ADDRESS: 20", "MFS_AUTHD_CONNECTIONS: 20"])
  func connectionsAreLimited(setting: String) throws {
    let daemon = try Daemon([setting])
    try daemon.serve()
    try holding(15, daemon) { () throws in #expect(try status(daemon) == 0) }
    try holding(20, daemon) { () throws in #expect(try status(daemon) != 0, "one more was let in") }
    // As many as may be have gone.
    #expect(try (0..<20).contains { _ in try status(daemon) == 0 })
    #expect(try daemon.stop().status == 0)
  }

  @Test func requestsAreHandledBySoManyThreads() throws {
    func threads(_ workers: Int) throws -> Int {
      let daemon = try Daemon(["MFS_AUTHD_WORKERS: \(workers)", "MFS_AUTHD_PASSWORD_QUEUE: 1"])
      try daemon.serve()
      let program = try #require(daemon.process?.program)
      defer { _ = try? daemon.stop() }
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program)/task").count
    }
    #expect(try threads(40) - threads(10) == 30)
  }

  @Test func tokensAreSignedByTwoThreadsForEachProcessor() throws {
    func threads(_ settings: [String]) throws -> Int {
      let daemon = try Daemon(settings)
      try daemon.serve()
      let program = try #require(daemon.process?.program)
      defer { _ = try? daemon.stop() }
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program)/task").count { task in
        try String(contentsOfFile: "/proc/\(program)/task/\(task)/comm", encoding: .utf8) == "MHD-worker\n"
      }
    }
    #expect(try threads([]) == min(2 * ProcessInfo.processInfo.activeProcessorCount, 32))
    #expect(try threads(["MFS_AUTHD_CONNECTIONS: 16"]) == 2, "each has some connections")
  }

  @Test func metricsHaveAnAddressOfTheirOwn() throws {
    let daemon = try Daemon(["MFS_AUTHD_METRICS_ADDRESS: 127.0.0.2"])
    try daemon.serve()
    #expect(daemon.metrics.hasPrefix("http://127.0.0.2:"))
    #expect(try daemon.get(daemon.metrics + "/metrics").text.contains("mfs_build_info{"))
    let elsewhere = daemon.metrics.replacingOccurrences(of: "127.0.0.2", with: "127.0.0.1")
    #expect(try daemon.get(elsewhere + "/metrics").status != 0)
  }

  @Test(arguments: [true, false]) func requestsAreLoggedWhereThatIsSet(isSet: Bool) throws {
    let daemon = try Daemon(["MFS_AUTHD_LOG_REQUESTS: \(isSet)"])
    try daemon.serve()
    _ = try daemon.get(daemon.origin + "/healthz")
    let lines = try Daemon.lines(daemon.stop().log)
    #expect(lines.contains { $0["event"] as? String == "request" } == isSet)
    #expect(lines.contains { $0["event"] as? String == "server.stopped" })
  }

  /// A client that does not take its answer holds up the end for so long and no longer.
  @Test func theEndWaitsForSoLong() throws {
    let daemon = try Daemon(["MFS_AUTHD_DRAIN_SECONDS: 1"])
    try daemon.serve()
    let port = try #require(daemon.origin.split(separator: ":").last)
    // Many requests, and nothing of their answers is read: what the kernel has no room for waits in the server.
    let deaf = """
      import socket, time
      client = socket.socket()
      client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
      client.connect(("127.0.0.1", \(port)))
      client.settimeout(2)
      try:
          while True:
              client.sendall(b"GET /.well-known/openid-configuration HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" * 100)
      except TimeoutError:
          pass
      print("full", flush=True)
      time.sleep(40)
      """
    let client = try Background(["/usr/bin/python3", "-c", deaf], in: daemon.sandbox)
    #expect(client.text { $0.contains("full") }.contains("full"), "\(client.errorText)")
    let start = Date()
    #expect(try daemon.stop().status == 0)
    let seconds = Date().timeIntervalSince(start)
    #expect(seconds > 0.9 && seconds < 15, "\(seconds); it is 20 when nothing is set")
  }

  /// The only authorities that a webhook's certificate may come from.
  @Test(arguments: [true, false]) func theWebhooksAuthoritiesAreThoseThatAreSet(isSet: Bool) throws {
    let sandbox = try Sandbox()
    let made = try run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
      ], in: sandbox)
    #expect(made.status == 0, "\(made.errorText)")
    let hook = try Background(
      ["/usr/bin/python3", Daemon.peer("hook.py"), "--tls", sandbox("cert.pem"), sandbox("key.pem")], in: sandbox)
    let port = hook.text { $0.contains("\n") }.split(separator: "\n").first.map(String.init) ?? ""
    let daemon = try Daemon(
      ["MFS_AUTHD_WEBHOOK_URL: https://127.0.0.1:\(port)/", "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS: [127.0.0.1]"]
        + (isSet ? ["MFS_AUTHD_WEBHOOK_AUTHORITIES: \(sandbox("cert.pem"))"] : []))
    try daemon.serve()
    let one = try daemon.signIn()
    _ = try daemon.refresh(one.tokens.refresh_token)
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 400)
    // At its end it has tried once at least.
    #expect(try daemon.stop().status == 0)
    #expect(hook.text.contains("200 {") == isSet, "\(hook.errorText)")
  }
}
