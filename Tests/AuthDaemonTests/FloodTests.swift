import Foundation
import TestSupport
import Testing

/// A flood of passwords, each of which costs a processor for a while, and those who are signed in.
@Suite struct FloodTests {
  struct Report: Decodable {
    let idle: [String: Double]
    let flooded: [String: Double]
    let statuses: [String: Int]
  }

  @Test("with more sign-ins than may wait, refreshes and other requests are answered about as soon as without")
  func aFullQueueOfPasswordsKeepsNobodyElseWaiting() throws {
    let daemon = try Daemon([
      "MFS_AUTHD_TRUSTED_PROXIES: [127.0.0.1]", "MFS_AUTHD_TOKENS_PER_DEVICE: 1000000", "MFS_AUTHD_LOG_REQUESTS: false",
    ])
    try daemon.serve()
    let result = try run(
      ["/usr/bin/python3", Daemon.peer("flood.py"), daemon.origin, Daemon.user, "password", "report.json"],
      in: daemon.sandbox)
    try #require(result.status == 0, "\(result.errorText)")
    let report = try JSONDecoder().decode(
      Report.self, from: Data(contentsOf: URL(fileURLWithPath: daemon.sandbox("report.json"))))
    // The queue was full all the while, and those in it were checked.
    #expect((report.statuses["503"] ?? 0) > 0 && (report.statuses["401"] ?? 0) > 0, "\(report.statuses)")
    #expect(Set(report.statuses.keys).subtracting(["401", "503"]) == [], "\(report.statuses)")
    // Who had to wait for a place behind them would wait for sixteen checks, some hundred times as long.
    for (name, idle) in report.idle {
      #expect((report.flooded[name] ?? .infinity) < idle * 25, "\(name): \(report)")
    }
    #expect(try daemon.stop().status == 0)
  }
}
