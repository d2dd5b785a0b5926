import Basics
import BackendAdmin
import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite struct AlertTests {
  /// Runs a receiver of alerts that answers with these statuses first.
  private func receiver(_ statuses: Int..., in sandbox: Sandbox) throws -> (process: Background, port: String) {
    let process = try Background(
      ["/usr/bin/python3", Daemon.peer("hook.py")] + statuses.map(String.init), in: sandbox)
    let port = process.text { $0.contains("\n") }.split(separator: "\n").first.map(String.init) ?? ""
    return (process, port)
  }

  @Test func aReplayIsTold() throws {
    let sandbox = try Sandbox()
    // The first try fails, the second one is taken.
    let (hook, port) = try receiver(500, in: sandbox)
    let daemon = try Daemon([
      "MFS_AUTHD_WEBHOOK_URL: http://127.0.0.1:\(port)/T0CANARY", "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS: [127.0.0.1]",
    ])
    try daemon.serve()
    let one = try daemon.signIn()
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 200)
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 400)
    let lines = hook.text { $0.contains("\n200 ") }.split(separator: "\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("500 {"))
    let body = try #require(
      JSONSerialization.jsonObject(with: Data(lines[2].dropFirst(4).utf8)) as? [String: Any])
    #expect(body["event"] as? String == "refresh.refused" && body["issuer"] as? String == "http://127.0.0.1:8480")
    let fields = try #require(body["fields"] as? [String: String])
    #expect(fields["reason"] == "replay" && fields["sid"] == one.sid && fields["ended"] == "now")
    #expect(!lines[2].contains(one.tokens.refresh_token))
    let metrics = try daemon.get(daemon.metrics + "/metrics").text
    #expect(metrics.contains("mfs_webhook_alerts_total{outcome=\"sent\"} 1\n"))
    let (status, log) = try daemon.stop()
    #expect(status == 0 && !log.contains("T0CANARY"))
  }

  /// Nobody waits for a receiver that does not answer, and the server stops all the same.
  @Test func aReceiverThatHangsHoldsUpNobody() throws {
    let sandbox = try Sandbox()
    let hang = """
      import socket, time
      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)
      time.sleep(50)
      """
    let dead = try Background(["/usr/bin/python3", "-c", hang], in: sandbox)
    let port = dead.text { $0.contains("\n") }.split(separator: "\n").first ?? ""
    let daemon = try Daemon([
      "MFS_AUTHD_WEBHOOK_URL: http://127.0.0.1:\(port)/", "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS: [127.0.0.1]",
    ])
    try daemon.serve()
    for _ in 0..<3 {
      let one = try daemon.signIn()
      _ = try daemon.refresh(one.tokens.refresh_token)
      #expect(try daemon.refresh(one.tokens.refresh_token).status == 400)
    }
    #expect(try daemon.get(daemon.metrics + "/metrics").text.contains("mfs_webhook_waiting 3\n"))
    #expect(try daemon.stop().status == 0)
  }

  /// A name that leads to this machine or a private network is not connected to, unless it is listed.
  @Test(arguments: [
    "127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "192.168.0.1", "[::ffff:127.0.0.1]", "0.0.0.0",
  ])
  func privateAddressesAreRefused(host: String) throws {
    let url = try #require(HTTPURL("http://\(host):9/"))
    var client = HTTPClient()
    client.connectTimeout = 2_000
    client.addresses = .publicOnly
    let start = MonotonicInstant.now()
    #expect(throws: HTTPFailure(.request, "")) { try client.send(HTTPRequest(.get, url)) }
    #expect(MonotonicInstant.now().milliseconds(since: start) < 1_500, "it was tried")
  }

  @Test func aFloodOfAlertsIsBounded() throws {
    let dead = DeadPort.shared.port
    let url = try #require(HTTPURL("http://127.0.0.1:\(dead)/"))
    let null = open("/dev/null", O_WRONLY)
    defer { close(null) }
    let webhook = try Webhook(
      WebhookSettings(url: url, allowedHosts: ["127.0.0.1"]), issuer: "i", log: ServiceLog(descriptor: null))
    let start = MonotonicInstant.now()
    for number in 0..<2_000 {
      webhook.send(.init(name: "e", fields: [("n", "\(number)")], isAlert: true, at: .now()))
    }
    #expect(MonotonicInstant.now().milliseconds(since: start) < 2_000)
    webhook.stop(within: 0)
    #expect(MonotonicInstant.now().milliseconds(since: start) < 10_000)
  }
}
