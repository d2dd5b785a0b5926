internal import Basics
internal import StrategyWire
internal import Testing

/// A parent that answers as the real one does, with a gateway made of canned answers. It hands out numbers for secrets
/// and keeps what each was made from, so that a test sees what the plugin asked for and that it saw none.
private final class CannedGateway {
  var answer: (HostStatus, WireRecord)
  var vault: [String] = []
  var requests: [WireRecord] = []
  var secrets: [UInt64: String] = [:]

  init(_ status: Int64, headers: [(String, String)] = [], body: String = "") {
    answer = (
      .ok,
      [
        "status": .integer(status), "headers": .list(WireRecord(headers.map { .init($0.0, .text($0.1)) })),
        "body": .bytes(Array(body.utf8)),
      ]
    )
  }

  private func keep(_ text: String) -> (HostStatus, WireRecord) {
    let handle = UInt64(secrets.count + 1)
    secrets[handle] = text
    return (.ok, ["secret": .secret(handle), "empty": .boolean(text.isEmpty)])
  }

  func describe(_ value: WireValue?) -> String {
    switch value {
    case .text(let text)?: text
    case .secret(let handle)?: secrets[handle] ?? "no such secret"
    default: "nothing"
    }
  }

  func serve(_ call: HostCall, _ fields: WireRecord) -> (HostStatus, WireRecord) {
    switch call {
    case .http:
      requests.append(fields)
      return answer
    case .vaultUse:
      let name = fields.text("name") ?? ""
      return vault.contains(name) ? keep("<\(name)>") : (.notFound, ["message": .text("nothing stored")])
    case .prompt:
      return fields.boolean("secret") == true
        ? keep("<typed>") : (.ok, ["text": .text("alice"), "empty": .boolean(false)])
    case .clock: return (.ok, ["wall": .instant(Timestamp(seconds: 1_800_000_000)), "monotonic": .integer(0)])
    case .secretNew: return keep("new:" + String(decoding: fields.bytes("bytes") ?? [], as: UTF8.self))
    case .secretJoin:
      return keep((fields.list("parts")?.fields ?? []).map { describe($0.value) }.joined())
    case .secretBasic: return keep("Basic \(describe(fields["identifier"])):\(describe(fields["password"]))")
    default: return (.denied, ["message": .text("not granted")])
    }
  }
}

@Suite("The strategy basic")
struct BasicStrategyTests {
  private static let settings: WireRecord = [
    "EXPO_PUBLIC_SG_URL": .text("wss://sync.example.com:4984"), "EXPO_PUBLIC_SG_DB": .text("mfs"),
  ]
  private static let user = #"{"authentication_handlers":["default","cookie"],"ok":true,"userCtx":{"name":"alice"}}"#
  private static let cookie =
    "SyncGatewaySession=904ac010862f37c8dd99015a33ab5a3565fd8447; Path=/mfs; Expires=Fri, 04 Sep 2026 18:00:00 GMT"

  private func run(
    _ gateway: CannedGateway, operation: UInt32 = 1, identifier: String? = nil, settings: WireRecord = settings
  ) throws -> Ended {
    let parent = ScriptedParent()
    parent.answer = gateway.serve
    return try parent.run(
      BuiltFiles.basic,
      .init(strategy: "basic", operation: operation, timeout: 10_000, identifier: identifier, settings: settings))
  }

  @Test("signs in with an Authorization header that the host makes, an empty body and no Origin")
  func login() throws {
    let gateway = CannedGateway(200, headers: [("set-cookie", Self.cookie)], body: Self.user)
    let ended = try run(gateway)
    let request = try #require(gateway.requests.first)
    #expect(gateway.requests.count == 1)
    #expect(request.text("method") == "POST")
    #expect(request.text("url") == "https://sync.example.com:4984/mfs/_session")
    #expect(request["body"] == nil)
    let headers = request.list("headers")
    #expect(headers?.fields.map(\.name) == ["Authorization", "Accept"])
    #expect(gateway.describe(headers?["Authorization"]) == "Basic alice:<typed>")
    let result = try #require(ended.result)
    #expect(result.text("identifier") == "alice")
    #expect(result.text("session") == "cookie")
    #expect(result.text("cookieName") == "SyncGatewaySession")
    #expect(result.instant("sessionExpiresAt")?.rfc3339 == "2026-09-04T18:00:00Z")
    #expect(gateway.describe(result["sessionId"]) == "new:904ac010862f37c8dd99015a33ab5a3565fd8447")
    #expect(gateway.describe(result["password"]) == "<typed>")
  }

  @Test(
    "finds the session wherever a gateway puts it",
    arguments: [
      // The admin port's body, new and old; a cookie of another name, named by the body or by its path; Max-Age.
      (
        [], #"{"session_id":"abc","expires":"2026-09-04T18:00:00.000Z","cookie_name":"Mine"}"#, "Mine", "abc",
        1_788_544_800
      ),
      (
        [], #"{"session_id":"abc","expires":"2013-05-08T14:40:00.851049969-05:00"}"#, "SyncGatewaySession", "abc",
        1_368_042_000
      ),
      ([], #"{"session_id":"abc"}"#, "SyncGatewaySession", "abc", nil),
      (["Mine=xyz; Path=/mfs"], user, "Mine", "xyz", nil),
      (["lb=1; Path=/", "Mine=xyz; Path=/mfs"], user, "Mine", "xyz", nil),
      (["lb=1; Path=/mfs", "Mine=xyz"], #"{"cookie_name":"Mine"}"#, "Mine", "xyz", nil),
      (
        ["SyncGatewaySession=xyz; Max-Age=60; Expires=Fri, 04 Sep 2026 18:00:00 GMT"], user, "SyncGatewaySession",
        "xyz", 1_800_000_060
      ),
      (["SyncGatewaySession=; Path=/mfs", "SyncGatewaySession=xyz"], user, "SyncGatewaySession", "xyz", nil),
    ] as [([String], String, String, String, Int64?)])
  func sessions(cookies: [String], body: String, name: String, id: String, expires: Int64?) throws {
    let gateway = CannedGateway(200, headers: cookies.map { ("set-cookie", $0) }, body: body)
    let result = try #require(try run(gateway).result)
    #expect(result.text("cookieName") == name)
    #expect(gateway.describe(result["sessionId"]) == "new:\(id)")
    #expect(result.instant("sessionExpiresAt")?.seconds == expires)
  }

  @Test(
    "says what a refusal means",
    arguments: [
      (401, 2), (400, 7), (403, 7), (404, 7), (405, 7), (407, 7), (418, 7), (426, 7), (301, 7), (302, 7), (308, 7),
      (408, 5), (425, 5), (429, 5), (500, 5), (502, 5), (503, 5), (504, 5), (524, 5),
    ] as [(Int64, UInt32)])
  func refusals(status: Int64, reason: UInt32) throws {
    let gateway = CannedGateway(
      status, headers: [("retry-after", "30"), ("location", "https://evil.example.com/")],
      body: #"{"error":"x","reason":"Because\n::error::it"}"#)
    let failure = try #require(try run(gateway).failure)
    #expect(failure.reason == reason)
    #expect(failure.status == status)
    #expect(failure.retryAfter == (reason == 5 ? 30 : nil))
    #expect(!failure.message.contains("\n"))
    if status == 401 { #expect(failure.message.contains("password or the database name 'mfs'")) }
    #expect(gateway.requests.count == 1)
  }

  @Test("a Retry-After that is a date counts from now")
  func retryDate() throws {
    let gateway = CannedGateway(503, headers: [("retry-after", Timestamp(seconds: 1_800_000_090).httpDate)])
    #expect(try run(gateway).failure?.retryAfter == 90)
  }

  @Test(
    "a success that cannot be read is no session",
    arguments: [
      "", "null", "[]", "<html>", #"{"session_id":"#, #"{"ok":true}"#, #"{"session_id":"a b"}"#, #"{"session_id":""}"#,
    ])
  func unreadable(body: String) throws {
    #expect(try run(CannedGateway(200, body: body)).failure?.reason == 6)
    let withCookie = CannedGateway(200, headers: [("set-cookie", Self.cookie)], body: body)
    if !body.hasPrefix("{") || body.hasSuffix(":") { #expect(try run(withCookie).failure?.reason == 6) }
  }

  @Test(
    "a cookie whose name cannot be sent is no session",
    arguments: ["bad name", "b(d", "a[0]", "a/b", "caf\u{e9}", String(repeating: "n", count: 257)])
  func unusableName(name: String) throws {
    let cookie = CannedGateway(200, headers: [("set-cookie", "\(name)=abc; Path=/mfs")], body: Self.user)
    #expect(try run(cookie).failure?.reason == 6)
    let admin = CannedGateway(200, body: #"{"session_id":"abc","cookie_name":"\#(name)"}"#)
    #expect(try run(admin).failure?.reason == 6)
  }

  @Test(
    "trouble on the way has its reason",
    arguments: [
      (.network, 4), (.timeout, 4), (.untrusted, 7), (.tooLarge, 6), (.protocolViolation, 6), (.denied, 9),
      (.cancelled, 8), (.badArgument, 10), (.internal, 10),
    ] as [(HostStatus, UInt32)])
  func trouble(status: HostStatus, reason: UInt32) throws {
    let gateway = CannedGateway(200)
    gateway.answer = (status, ["message": .text("no route")])
    #expect(try run(gateway).failure == .init(reason: reason, message: "no route"))
  }

  @Test(
    "settings that name no gateway are refused before anything is asked",
    arguments: [
      "", "sync.example.com", "ftp://h", "wss://", "wss://h/path", "wss://u:p@h", "wss://h?x", "wss://h#f", "wss://h h",
    ])
  func badURL(url: String) throws {
    let gateway = CannedGateway(200)
    let ended = try run(gateway, settings: ["EXPO_PUBLIC_SG_URL": .text(url), "EXPO_PUBLIC_SG_DB": .text("mfs")])
    #expect(ended.failure?.reason == 1)
    #expect(gateway.secrets.isEmpty)
  }

  @Test("the database's name is escaped, and each scheme goes where it belongs")
  func urls() throws {
    for (url, expected) in [
      ("ws://127.0.0.1:4984/", "http://127.0.0.1:4984/a%2Fb%3F/_session"), ("HTTPS://h", "https://h/a%2Fb%3F/_session"),
    ] {
      let gateway = CannedGateway(503)
      _ = try run(gateway, settings: ["EXPO_PUBLIC_SG_URL": .text(url), "EXPO_PUBLIC_SG_DB": .text("a/b?")])
      #expect(gateway.requests.first?.text("url") == expected)
    }
  }

  @Test("a name that cannot be sent is refused")
  func names() throws {
    for name in ["", "   ", "a:b"] { #expect(try run(CannedGateway(200), identifier: name).failure?.reason == 2) }
  }

  @Test("refreshes with what is stored, asking nobody")
  func refresh() throws {
    let gateway = CannedGateway(200, headers: [("set-cookie", Self.cookie)], body: Self.user)
    #expect(try run(gateway, operation: 2).failure?.reason == 3)
    gateway.vault = ["auth.identifier", "auth.password"]
    let result = try #require(try run(gateway, operation: 2).result)
    #expect(result["identifier"] == nil && result["password"] == nil)
    #expect(
      gateway.describe(gateway.requests.first?.list("headers")?["Authorization"])
        == "Basic <auth.identifier>:<auth.password>")
  }

  @Test("tells the gateway that the session ends; one that is gone is success")
  func logout() throws {
    for (status, isDone) in [(200, true), (401, true), (404, true), (400, false), (503, false)] as [(Int64, Bool)] {
      let gateway = CannedGateway(status)
      gateway.vault = ["auth.sessionId", "auth.cookieName"]
      let ended = try run(gateway, operation: 3)
      #expect((ended.result == [:]) == isDone)
      let request = try #require(gateway.requests.first)
      #expect(request.text("method") == "DELETE")
      #expect(gateway.describe(request.list("headers")?["Cookie"]) == "<auth.cookieName>=<auth.sessionId>")
    }
    let nothing = CannedGateway(500)
    #expect(try run(nothing, operation: 3).result == [:])
    #expect(nothing.requests.isEmpty)
  }
}
