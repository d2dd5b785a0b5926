import Basics
import Foundation
import StrategyHost
import Testing

/// What the parent does for a plugin and what it denies. The child is a script; the server is real.
struct HostCallTests {
  let services = ScriptedServices()
  let gateway: Gateway
  init() throws { gateway = try Gateway.shared.get() }

  /// Runs a child that logs what it sees; returns the lines of its log without their stamps.
  private func log(
    _ child: String, operation: StrategyOperation = .login, url: String? = nil, manifest: String = PluginFolder.manifest
  ) throws -> [String] {
    let folder = try PluginFolder(child: "hello()\nrun()\n" + child + "\nsigned_in()", manifest: manifest)
    let host = StrategyHost(locations: folder.locations, interruption: .never)
    let call = StrategyCall(
      strategy: "probe", operation: operation, settings: ["EXPO_PUBLIC_SG_URL": url ?? gateway.socketURL], timeout: 20)
    guard case .success = try host.run(call, services: services) else {
      Issue.record("it failed: \(services.lines)")
      return []
    }
    return services.lines.filter { $0.hasPrefix("probe: info: ") }.map { String($0.dropFirst("probe: info: ".count)) }
  }

  @Test func aRequestToADeclaredServerIsMade() throws {
    let lines = try log(
      """
      status, answer = call("http", method="POST", url="\(gateway.url)/echo", headers={"X-Plugin": "yes"}, body=b"hi")
      log(status); log(answer["status"]); log(sorted(n for n, v in answer["headers"])); log(answer["body"].decode())
      """)
    try #require(lines.count == 4, "\(lines)")
    #expect(lines[0...1] == ["ok", "200"])
    #expect(lines[2].contains("'content-length'"))
    #expect(lines[3].hasPrefix("POST /echo HTTP/1.1\\u{d}\\u{a}"))
    for expected in ["X-Plugin: yes", "User-Agent: mfsctl", "hi"] { #expect(lines[3].contains(expected)) }
  }

  @Test(arguments: [
    ("GET", "http://127.0.0.1:1/", "denied"), ("GET", "https://127.0.0.1:PORT/", "denied"),
    ("GET", "http://localhost:PORT/", "denied"), ("DELETE", "http://127.0.0.1:PORT/echo", "denied"),
    ("PUT", "http://127.0.0.1:PORT/echo", "denied"), ("GET", "http://x@127.0.0.1:PORT/", "badArgument"),
    ("GET", "file:///etc/passwd", "badArgument"), ("GET", "//127.0.0.1:PORT/", "badArgument"),
    ("TRACE", "http://127.0.0.1:PORT/echo", "badArgument"), ("GET", "http://127.0.0.1:PORT/cut", "network"),
    ("GET", "http://127.0.0.1:PORT/garbage", "protocolViolation"), ("GET", "http://127.0.0.1:PORT/huge", "tooLarge"),
    ("GET", "http://127.0.0.1:PORT/redirect", "ok"), ("GET", "http://127.0.0.1:PORT/unauthorised", "ok"),
  ])
  func requestsAreJudged(method: String, url: String, expected: String) throws {
    let url = url.replacingOccurrences(of: "PORT", with: "\(gateway.port)")
    let lines = try log("log(call('http', method='\(method)', url='\(url)')[0])")
    #expect(lines == [expected])
    #expect(services.lines.contains { $0.hasPrefix("probe: host: denied: ") } == (expected == "denied"))
  }

  @Test func aRedirectIsSeenAndNotFollowed() throws {
    let lines = try log(
      "_, a = call('http', method='GET', url='\(gateway.url)/redirect')\nlog(a['status'])\nlog(dict(a['headers'])['location'])"
    )
    #expect(lines == ["302", "http://127.0.0.1:1/elsewhere"])
  }

  @Test(arguments: [
    "Authorization", "cookie", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Origin", "User-Agent",
    "Proxy-Authorization", "Expect", "Keep-Alive", "Proxy-Connection", "proxy-authenticate", "TE", "tRAILER", "Upgrade",
    "HTTP2-Settings", "Max-Forwards", "Via", "Referer", "Sec-Fetch-Site", "X-HTTP-Method-Override", "x-method-override",
    "bad name",
  ])
  func headersThatAreNotThePluginsAreRefused(name: String) throws {
    let request = "method='GET', url='\(gateway.url)/echo'"
    #expect(
      try log(
        """
        log(call('http', \(request), headers={'\(name)': 'x'})[0])
        secret = call('new', bytes=b'x')[1]['secret']
        log(call('http', \(request), headers={'\(name)': secret})[0])
        """) == ["badArgument", ["Authorization", "cookie"].contains(name) ? "ok" : "badArgument"])
  }

  @Test func secretsAreUsedWithoutBeingSeen() throws {
    services.stored = ["auth.password": "correct horse"]
    let lines = try log(
      """
      _, a = call("use", name="auth.password")
      _, b = call("basic", identifier="alice", password=a["secret"])
      status, answer = call("http", method="GET", url="\(gateway.url)/echo", headers={"Authorization": b["secret"]})
      log(status); log(b"Basic YWxpY2U6Y29ycmVjdCBob3JzZQ==" in answer["body"])
      log("the password is correct horse, " + "YWxpY2U6Y29ycmVjdCBob3JzZQ==")
      _, c = call("new", bytes=b"session-value")
      _, d = call("join", parts=[("a", "C="), ("a", c["secret"])])
      _, answer = call("http", method="POST", url="\(gateway.url)/echo", headers={"Cookie": d["secret"]}, body=c["secret"])
      log(b"Cookie: C=session-value" in answer["body"]); log(answer["body"].endswith(b"session-value"))
      """)
    #expect(lines == ["ok", "True", "the password is ********, ********", "True", "True"])
  }

  @Test func aCookieOfTheServersIsKeptOutOfTheLog() throws {
    let lines = try log(
      """
      _, a = call("http", method="POST", url="\(gateway.url)/cookie")
      log(dict(a["headers"])["set-cookie"])
      """)
    #expect(lines == ["SyncGatewaySession=********; Path=/mfs"])
  }

  @Test(arguments: [
    ("call('use', name='auth.password')", "ok"), ("call('read', name='auth.identifier')", "ok"),
    ("call('use', name='auth.identifier')", "ok"), ("call('read', name='auth.password')", "denied"),
    ("call('use', name='auth.sessionId')", "denied"), ("call('read', name='mfs.dbkey.main')", "denied"),
    ("call('use', name='')", "denied"), ("call('use', nothing='x')", "badArgument"),
    ("call('basic', identifier='a:b', password=call('use', name='auth.password')[1]['secret'])", "badArgument"),
    ("call('basic', identifier='a', password='text')", "badArgument"),
    ("call('basic', identifier='a', password=Secret(77))", "badArgument"),
    ("call('join', parts=[('a', 5)])", "badArgument"), ("call('join')", "badArgument"),
    ("call('new', bytes='text')", "badArgument"), ("call('new', bytes=b'x' * (1 << 20) + b'x')", "badArgument"),
    ("call('random', count=0)", "badArgument"), ("call('random', count=4097)", "badArgument"),
    ("call('random', count=-1)", "badArgument"), ("call('random', count=4096)", "ok"), ("call('clock')", "ok"),
    ("call('prompt', text='')", "badArgument"), ("call('prompt', text='Name')", "ok"),
    ("call('http', method='GET', url='URL/echo', headers='x')", "badArgument"),
    ("call('http', method='GET', url='URL/echo', headers={'a': 5})", "badArgument"),
    ("call('http', method='GET', url='URL/echo', headers={'a': Secret(9)})", "badArgument"),
    ("call('http', method='GET', url='URL/echo', headers={'a': 'x\\r\\ny: z'})", "badArgument"),
    ("call('http', method='POST', url='URL/echo', body=5)", "badArgument"),
  ])
  func callsAreJudged(call: String, expected: String) throws {
    services.stored = ["auth.password": "pw", "auth.identifier": "alice", "mfs.dbkey.main": "key"]
    let call = call.replacingOccurrences(of: "URL", with: gateway.url)
    #expect(try log("log(\(call)[0])") == [expected])
  }

  @Test func readingGivesTheBytesAndAbsenceIsSaid() throws {
    services.stored = ["auth.identifier": "alice"]
    #expect(
      try log("log(call('read', name='auth.identifier')[1]['value'][::-1])\nlog(call('use', name='auth.password')[0])")
        == ["b'ecila'", "notFound"])
  }

  @Test func aPersonIsAsked() throws {
    services.answers = ["alice", "secret word", ""]
    let lines = try log(
      """
      log(call("prompt", text="User\\x1b name")); status, a = call("prompt", text="Password", secret=True)
      log(sorted(a)); log(a["empty"]); log(call("prompt", text="More", secret=True)[1]["empty"])
      log("typed: secret word")
      """)
    #expect(
      lines == ["('ok', {'text': 'alice', 'empty': False})", "['empty', 'secret']", "False", "True", "typed: ********"])
    #expect(services.asked.map(\.text) == ["User\\u{1b} name", "Password", "More"])
    #expect(services.asked.map(\.isSecret) == [false, true, true])
  }

  @Test func nobodyToAsk() throws {
    services.refusal = Failure(.signInNeeded, "there is no terminal")
    #expect(try log("log(call('prompt', text='Name')[0])") == ["nobody"])
  }

  @Test func aPersonWhoRefusesEndsTheRun() throws {
    services.refusal = Failure(.cancelled, "no")
    #expect(throws: Failure(.cancelled, "")) { try log("call('prompt', text='Name')") }
  }

  @Test func aPersonIsAskedInALoginOnly() throws {
    #expect(try log("log(call('prompt', text='Name')[0])", operation: .refresh) == ["denied"])
    #expect(services.asked.isEmpty)
  }

  @Test func whatTheManifestDoesNotNeedIsDenied() throws {
    let manifest = """
      {manifest: 1, name: probe, version: "1", abi: 1, summary: s, operations: [login], interaction: never, settings: []}
      """
    let lines = try log(
      """
      log(call("http", method="GET", url="\(gateway.url)/echo")[0]); log(call("prompt", text="Name")[0])
      log(call("use", name="auth.password")[0]); log(call("clock")[1]["wall"])
      """, manifest: manifest)
    #expect(lines == ["denied", "denied", "denied", "1800000000"])
  }

  @Test func aMessageOfNothingButBytesIsRead() throws {
    // 500,000 of them, each of no length. What the call does not know is left out of account.
    let child = """
      leaves = record([("a", b"")] * 1000)
      lists = struct.pack("<H", 500) + (struct.pack("<H", 1) + b"b\\x07" + struct.pack("<I", len(leaves)) + leaves) * 500
      body = struct.pack("<HH", 1, 1) + b"c\\x07" + struct.pack("<I", len(lists)) + lists
      last += 1
      send(3, struct.pack("<IH", last, CALLS["clock"]) + body)
      kind, answer = receive()
      log(kind)
      log(STATUSES[struct.unpack_from("<II", answer)[1]])
      """
    #expect(try log(child) == ["4", "ok"])
  }

  @Test func tooManyBytesOfSecretsEndTheRun() throws {
    #expect(throws: Failure(.pluginFailed, "")) { try log("[call('new', bytes=bytes(1 << 20)) for _ in range(17)]") }
  }

  @Test func tooManyRequestsEndTheRun() throws {
    let child = "[call('http', method='GET', url='\(gateway.url)/unauthorised') for _ in range(257)]"
    #expect(throws: Failure(.pluginFailed, "")) { try log(child) }
  }
}
