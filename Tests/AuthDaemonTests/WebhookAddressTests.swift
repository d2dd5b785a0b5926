import AuthBackend
import Basics
import Foundation
import HTTPClient
import HTTPServer
import TestSupport
import Testing

@testable import BackendAdmin

/// Alerts go to addresses of this machine or a private network only where the webhook's host is listed.
@Suite struct WebhookAddressTests {
  @Test(arguments: ["127.0.0.1", "localhost"], [true, false])
  func aPrivateReceiverIsSentWhatIsListed(host: String, isListed: Bool) throws {
    let received = Monitor<[String]>([])
    let receiver = try Server { request in
      received.withLock { $0.append(request.body.withBytes { String(decoding: $0, as: UTF8.self) }) }
      return ServerResponse(status: 204)
    }
    defer { receiver.stop(grace: 0) }
    let port = try #require(receiver.origin.split(separator: ":").last)
    let sandbox = try Sandbox()
    try sandbox.write("log", "")
    let file = open(sandbox("log"), O_WRONLY)
    defer { close(file) }
    let log = try ServiceLog(descriptor: file)
    let webhook = try Webhook(
      WebhookSettings(
        url: try #require(HTTPURL("http://\(host):\(port)/alerts")), allowedHosts: isListed ? [host] : ["other"]),
      issuer: "https://auth.example.com", log: log)
    webhook.send(BackendEvent(name: "refresh.refused", fields: [("reason", "replay")], isAlert: true, at: .now()))
    // It is tried once, and when that fails not again.
    webhook.stop(within: 10)
    log.flush(within: 10)
    // Said at the start, also while there is no alert.
    let lines = try Daemon.lines(String(contentsOfFile: sandbox("log"), encoding: .utf8))
    #expect(lines.first?["event"] as? String == (isListed ? nil : "webhook.private"))
    let reason = lines.first?["reason"] as? String
    #expect(reason?.contains("MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS") == (isListed ? nil : true))
    let bodies = received.withLock { $0 }
    if isListed {
      #expect(bodies.count == 1 && bodies.first?.contains("\"reason\":\"replay\"") == true)
      #expect(webhook.metrics.contains("outcome=\"sent\"} 1\n"))
    } else {
      #expect(bodies == [])
      #expect(webhook.metrics.contains("outcome=\"failed\"} 1\n"))
    }
  }
}
