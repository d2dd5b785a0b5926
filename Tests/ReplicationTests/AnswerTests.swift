import Basics
import GatewayLab
import HTTPClient
import Replication
import SecureMemory
import TestSupport
import Testing

/// What a replicator makes of each answer, in Couchbase Lite's numbers.
@Suite("What LiteCore makes of an answer") struct AnswerTests {
  static let faults: [(Fault.Kind, Int, String)] = [
    (.unauthorized, 10_401, "Invalid login"), (.forbidden, 10_403, "Forbidden by the lab"),
    (.notFound, 10_404, "missing"),
    (.tooManyRequests, 10_429, "Too Many Requests"), (.internalError, 10_500, "Internal error: the lab says so"),
    (.badGateway, 10_502, "HTTP status 502"), (.databaseOffline, 10_503, "DB is currently under maintenance"),
    (.redirect, 10_302, "HTTP status 302"), (.wrongJSON, 11_002, "the answer is 200, not 101"),
    (.garbage, 11_002, "the answer is 200, not 101"), (.hugeBody, 11_002, "the answer is 200, not 101"),
    (.cutConnection, 5_018, "cannot reach"), (.wrongAccept, 11_002, "the 101 does not answer"),
    (.otherSubprotocol, 10_403, "the 101 chooses no subprotocol"), (.connectionList, 11_002, "the 101 has no"),
    (.upgradeCase, 11_002, "the 101 has no"),
  ]

  @Test(arguments: faults) func aFaultOfTheLab(kind: Fault.Kind, code: Int, message: String) throws {
    let lab = try GatewayFixture()
    lab.fail(kind)
    let answer = try lab.open(session: try lab.signIn())
    #expect(answer.error?.sdkCode == code && answer.socket == nil)
    #expect(answer.error?.message.hasPrefix(message) == true, "\(String(describing: answer.error))")
  }

  static let answers: [(String, String, Int, String)] = [
    ("no HTTP at all\\r\\n\\r\\n", "close", 10_400, "cannot understand"),
    ("HTTP/2 200\\r\\n\\r\\n", "close", 10_400, "cannot understand"),
    ("HTTP/1.1 99 x\\r\\n\\r\\n", "close", 10_400, "cannot understand"),
    ("", "close", 5_018, "cannot reach"), ("HTTP/1.1 101 x\\r\\nUpg", "close", 5_018, "cannot reach"),
    ("", "reset", 5_018, "cannot reach"),
    (
      "HTTP/1.1 401 x\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n5\\r\\n{\"rea\\r\\nc;x=y\\r\\nson\":\"Gone\"}\\r\\n0\\r\\n\\r\\n",
      "hang", 10_401, "Gone"
    ),
    (
      "HTTP/1.1 401 x\\r\\nContent-Type: application/json\\r\\nContent-Length: 17\\r\\n\\r\\n{\"reason\":\"Gone\"}",
      "hang", 10_401, "Gone"
    ),
    (
      "HTTP/1.1 503 x\\r\\nContent-Type: text/plain\\r\\n\\r\\nback\\x1b[31m soon\\nmore", "close", 10_503,
      "back\\u{1b}[31m soon"
    ),
    // A body that ends too early says nothing less than the status.
    (
      "HTTP/1.1 407 x\\r\\nContent-Type: application/json\\r\\nContent-Length: 99\\r\\n\\r\\n{\"reason\":", "close",
      10_407, "HTTP status 407"
    ),
    // An interim answer comes before the one that counts.
    (
      "HTTP/1.1 103 x\\r\\nLink: a\\r\\n\\r\\nHTTP/1.1 404 x\\r\\nContent-Length: 0\\r\\n\\r\\n", "hang", 10_404,
      "HTTP status 404"
    ),
    ("HTTP/1.1 204 x\\r\\n\\r\\n", "close", 11_002, "the answer is 204"),
    (
      "HTTP/1.1 101 x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n", "hang", 11_002,
      "the 101 does not answer"
    ),
  ]

  @Test(arguments: answers) func anyServer(answer: String, ending: String, code: Int, message: String) throws {
    let server = try scriptedServer(answer, then: ending)
    let result = try ReplicationSocket.open(try endpoint(server.port), fields: [], client: HTTPClient())
    #expect(result.error?.sdkCode == code && result.socket == nil)
    #expect(result.error?.message.hasPrefix(message) == true, "\(String(describing: result.error))")
  }

  @Test(arguments: ["", "HTTP/1.1 101 x\\r\\nUpgrade: web", "HTTP/1.1 103 x\\r\\n\\r\\n"])
  func serversThatSayNothingMore(answer: String) throws {
    let server = try scriptedServer(answer, then: "hang")
    var client = HTTPClient()
    client.timeout = 500
    let result = try ReplicationSocket.open(try endpoint(server.port), fields: [], client: client)
    #expect(result.error?.sdkCode == 5_003 && result.error?.disposition == .transient)
  }

  @Test func aHeadWithoutEndIsNotCollected() throws {
    let server = try scriptedServer(
      "HTTP/1.1 101 x\\r\\n" + String(repeating: "A: " + String(repeating: "a", count: 1_000) + "\\r\\n", count: 100))
    let result = try ReplicationSocket.open(try endpoint(server.port), fields: [], client: HTTPClient())
    #expect(result.error?.sdkCode == 10_400)
  }

  @Test func nobodyListens() throws {
    let result = try ReplicationSocket.open(try endpoint(DeadPort.shared.port), fields: [], client: HTTPClient())
    #expect(result.error?.sdkCode == 5_019 && result.error?.disposition == .transient)
  }

  @Test func noSuchHost() throws {
    let nowhere = try #require(ReplicationEndpoint(gateway: "ws://nowhere.invalid", database: "mfs"))
    let result = try ReplicationSocket.open(nowhere, fields: [], client: HTTPClient())
    #expect(result.error?.sdkCode == 5_002 && result.error?.disposition == .networkDependent)
  }

  @Test func whatCannotBeSentIsNoAnswer() throws {
    let lab = try GatewayFixture()
    for field in [HTTPRequest.Field("Connection", "x"), .init("Cookie", "a\r\nb: c"), .init("a b", "c")] {
      #expect(throws: HTTPFailure(.request, "")) {
        try ReplicationSocket.open(lab.endpoint, fields: [field], client: HTTPClient())
      }
    }
  }

  @Test func anAnswerHasWhatLiteCoreWants() throws {
    let lab = try GatewayFixture()
    let answer = try lab.open(session: try lab.signIn())
    #expect(answer.error == nil && answer.status == 101 && answer.subprotocol == "BLIP_3+CBMobile_4")
    #expect(answer.correlationID?.count == 16 && answer.cookies.isEmpty)
    let socket = try #require(answer.socket)
    socket.ping([1, 2])
    #expect(try socket.receive(until: .now().advanced(bySeconds: 10)) == .pong([1, 2]))
    lab.gateway.closeReplications()
    #expect(try socket.receive(until: .now().advanced(bySeconds: 10)) == .closed(.goingAway, reason: ""))
    #expect(lab.gateway.waitForReplications(0))
  }
}
