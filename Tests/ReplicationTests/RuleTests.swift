import Glibc
import Replication
import Testing
import WebSocket

/// LiteCore's numbers and lists, one row each.
@Suite("LiteCore's rules") struct RuleTests {
  static let http: [(Int, ReplicatorError.Disposition)] = [
    (301, .permanent), (302, .permanent), (400, .permanent), (401, .permanent), (403, .permanent), (404, .permanent),
    (407, .permanent), (408, .transient), (409, .permanent), (413, .permanent), (425, .permanent), (426, .permanent),
    (429, .transient), (500, .permanent), (501, .permanent), (502, .transient), (503, .transient), (504, .transient),
    (505, .permanent), (520, .permanent), (526, .permanent), (1_001, .permanent), (1_002, .permanent),
    (1_006, .transient),
    (1_008, .permanent), (1_011, .permanent), (4_001, .transient), (4_002, .permanent),
  ]

  @Test(arguments: http) func statusesAndCloseCodes(code: Int, disposition: ReplicatorError.Disposition) {
    let error = ReplicatorError(.webSocket, code, "")
    #expect(error.sdkCode == 10_000 + code && error.disposition == disposition)
    #expect(error.needsRestart == [425, 500, 501, 505, 520, 526, 1_001].contains(code))
  }

  static let network: [(Int, ReplicatorError.Disposition)] =
    [(1, .transient), (2, .networkDependent), (3, .transient)]
    + [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map { ($0, .permanent) }
    + [16, 17, 18, 19].map { ($0, .transient) } + [20, 21, 22, 23, 24, 25, 26, 27].map { ($0, .networkDependent) }

  @Test(arguments: network) func networkErrors(code: Int, disposition: ReplicatorError.Disposition) {
    let error = ReplicatorError(.network, code, "")
    #expect(error.sdkCode == 5_000 + code && error.disposition == disposition)
  }

  static let system: [(Int32, ReplicatorError.Disposition)] = [
    (ENETRESET, .transient), (ECONNABORTED, .transient), (ECONNRESET, .transient), (ETIMEDOUT, .transient),
    (ECONNREFUSED, .transient), (ENETDOWN, .networkDependent), (ENETUNREACH, .networkDependent),
    (ENOTCONN, .networkDependent), (EHOSTDOWN, .networkDependent), (EHOSTUNREACH, .networkDependent),
    (EADDRNOTAVAIL, .networkDependent), (EPIPE, .networkDependent), (EACCES, .permanent),
  ]

  @Test(arguments: system) func systemErrors(number: Int32, disposition: ReplicatorError.Disposition) {
    #expect(ReplicatorError(.posix, Int(number), "").disposition == disposition)
  }

  @Test func theWaitDoublesUpToFiveMinutes() {
    #expect(
      (0...12).map { ReplicatorRules.delay(afterFailures: $0) } == [
        0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300,
      ])
    #expect(ReplicatorRules.delay(afterFailures: .max) == 300)
  }

  @Test func aCloseAsAgreedIsNoError() {
    #expect(ReplicatorError(closed: .normal, reason: "") == nil)
    #expect(ReplicatorError(closed: .abnormal, reason: "")?.sdkCode == 11_006)
  }

  @Test(arguments: [
    ("wss://sync.example.com:4984", "mfs", "wss://sync.example.com:4984/mfs"), ("https://a", "mfs", "wss://a/mfs"),
    ("ws://127.0.0.1:4984", "m-f_s$", "ws://127.0.0.1:4984/m-f_s$"), ("http://[::1]:80", "m", "ws://[::1]/m"),
  ])
  func urls(gateway: String, database: String, url: String) {
    #expect(ReplicationEndpoint(gateway: gateway, database: database)?.url == url)
  }

  @Test(arguments: [
    ("ftp://a", "m"), ("a", "m"), ("ws://a", ""), ("ws://a", "a/b"), ("ws://a", ".."), ("ws://a", "a?b"),
  ])
  func noURLs(gateway: String, database: String) {
    #expect(ReplicationEndpoint(gateway: gateway, database: database) == nil)
  }
}
