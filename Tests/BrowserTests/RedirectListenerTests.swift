import Basics
import Browser
import Glibc
import HTTPTestSupport
import SecureMemory
import Testing

/// A browser that comes back, and whatever else may come to a port of this machine.
struct RedirectListenerTests {
  let listener: RedirectListener
  let port: UInt16
  let state = "3f0c2a9e"

  init() throws {
    try RedirectListenerTests.allowDescriptors(2_048)
    listener = try RedirectListener()
    port = try #require(UInt16(listener.redirectURI.split(separator: ":")[2].split(separator: "/")[0]))
    listener.expect(state: state, inFragment: false)
  }

  // Each connection is two descriptors of this process, and other tests run beside this one.
  private static func allowDescriptors(_ count: rlim_t) throws {
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    let isRead = getrlimit(kind, &limit) == 0
    try #require(isRead)
    guard limit.rlim_cur < count else { return }
    try #require(limit.rlim_max >= count, "the test needs \(count) descriptors: see 'ulimit -Hn'")
    limit.rlim_cur = count
    let isSet = setrlimit(kind, &limit) == 0
    try #require(isSet)
  }

  private func send(
    _ method: String, _ target: String, headers: [String: String] = [:], body: String = ""
  ) throws -> (status: String, text: String) {
    let connection = try RawConnection(port: port)
    var fields = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    fields.merge(headers) { $1 }
    if !body.isEmpty { fields["Content-Length"] = "\(body.utf8.count)" }
    let head = fields.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined()
    connection.send("\(method) \(target) HTTP/1.1\r\n\(head)\r\n\(body)")
    let text = String(decoding: connection.rest(), as: UTF8.self)
    return (text.split(separator: " ").dropFirst().first.map(String.init) ?? "", text)
  }

  private func taken() -> [String: String]? {
    listener.takeParameters().map { fields in
      Dictionary(fields.map { ($0.name, $0.value.bytes.publicText() ?? "") }) { $1 }
    }
  }

  @Test func theRedirectIsTakenOnce() throws {
    #expect(listener.redirectURI == "http://127.0.0.1:\(port)/callback")
    #expect(taken() == nil)
    let first = try send("GET", "/callback?code=a%2Fb+c&state=\(state)&iss=https%3A%2F%2Fid.example")
    #expect(first.status == "200")
    #expect(first.text.contains("Back to the terminal"))
    #expect(taken() == ["code": "a/b c", "iss": "https://id.example"])
    let second = try send("GET", "/callback?code=other&state=\(state)")
    #expect(second.status == "410")
    #expect(taken() == nil)
  }

  @Test(arguments: [
    "/callback?code=x&state=3f0c2a9f", "/callback?code=x", "/callback?code=x&state=", "/callback",
    "/callback?code=x&state=3f0c2a9e&state=3f0c2a9e", "/callback?code=x&state=3F0C2A9E",
    "/callback?code=x&state=3f0c2a9",
  ])
  func anotherStateChangesNothing(target: String) throws {
    #expect(try send("GET", target).status == "400")
    #expect(taken() == nil)
    #expect(try send("GET", "/callback?code=ours&state=\(state)").status == "200")
    #expect(taken() == ["code": "ours"])
  }

  /// It says nothing of whose it is, but a person who waits is told.
  @Test(arguments: [
    "code=%FF", "code=%zz", "code=x&state=3f0c2a9e&error_description=%E9", "=x", String(repeating: "a=1&", count: 65),
    String(repeating: "n", count: 129) + "=1",
  ])
  func whatCannotBeReadIsSaid(query: String) throws {
    #expect(try send("GET", "/callback?\(query)").status == "400")
    #expect(taken() == nil)
    #expect(listener.takeStray() == .unreadable)
    _ = try send("GET", "/elsewhere?\(query)")
    #expect(listener.takeStray() == nil, "it was not for the redirect's address")
    #expect(try send("GET", "/callback?code=ours&state=\(state)").status == "200")
    #expect(taken() == ["code": "ours"])
    _ = try send("GET", "/callback?\(query)")
    #expect(listener.takeStray() == nil, "the sign-in has its answer")
  }

  @Test(arguments: ["id_token=%FF", "id_token=%"]) func aFragmentThatCannotBeReadIsSaid(body: String) throws {
    listener.expect(state: state, inFragment: true)
    #expect(try send("POST", "/callback", headers: ["Origin": "https://evil.example"], body: body).status == "403")
    #expect(listener.takeStray() == nil)
    #expect(try send("POST", "/callback", headers: ["Origin": "http://127.0.0.1:\(port)"], body: body).status == "400")
    #expect(listener.takeStray() == .unreadable)
    #expect(taken() == nil)
  }

  @Test(arguments: [
    ("GET", "/", "404"), ("GET", "/favicon.ico", "404"), ("GET", "/callback/", "404"),
    ("HEAD", "/callback?state=3f0c2a9e", "405"),
    ("DELETE", "/callback?state=3f0c2a9e&code=x", "405"), ("POST", "/callback?state=3f0c2a9e&code=x", "403"),
    ("GET", "/open/0", "410"), ("OPTIONS", "*", "404"),
  ])
  func aScannerFindsNothing(method: String, target: String, status: String) throws {
    #expect(try send(method, target).status == status)
    #expect(taken() == nil)
  }

  @Test(arguments: ["evil.example", "localhost:PORT", "127.0.0.1", "127.0.0.1:1"])
  func aNameThatPointsHereIsNotOurs(host: String) throws {
    let name = host.replacing("PORT", with: "\(port)")
    #expect(try send("GET", "/callback?code=x&state=\(state)", headers: ["Host": name]).status == "421")
    #expect(taken() == nil)
  }

  @Test func garbageAndSilenceHoldUpNobody() throws {
    let silent = try (0..<20).map { _ in try RawConnection(port: port) }
    for connection in silent.prefix(10) { connection.send("GET /callback?co") }
    let garbage = try RawConnection(port: port)
    garbage.send("\u{16}\u{3}\u{1}\u{2}\r\n\r\n")
    #expect(try send("GET", "/callback?code=x&state=\(state)").status == "200")
    #expect(taken() == ["code": "x"])
  }

  /// A scanner of ports leaves behind what it has opened; the person who signs in must not wait for that.
  @Test func threeHundredSilentConnectionsDelayNobody() throws {
    let silent = try (0..<300).map { _ in try RawConnection(port: port) }
    for connection in silent.prefix(150) { connection.send("GET /callback?co") }
    let browser = try RawConnection(port: port)
    browser.send(
      "GET /callback?code=x&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
    #expect(browser.waitForInput(milliseconds: 4_000), "it waits for the silent ones")
    #expect(browser.response()?.status == 200)
    #expect(taken() == ["code": "x"])
    // They are closed soon, whether they began to say something or not.
    let end = ContinuousClock.now + .seconds(8)
    for connection in silent {
      let left = max(Duration.zero, ContinuousClock.now.duration(to: end))
      try #require(connection.waitForInput(milliseconds: Int32(left / Duration.milliseconds(1))), "it is open still")
      _ = connection.rest()
      #expect(connection.isAtEnd)
    }
  }

  @Test func aRefusalIsTakenToo() throws {
    let answer = try send("GET", "/callback?error=access_denied&error_description=%3Cscript%3E&state=\(state)")
    #expect(answer.text.contains("Not signed in"))
    #expect(!answer.text.contains("<script>"))
    #expect(taken() == ["error": "access_denied", "error_description": "<script>"])
  }

  @Test func pagesKeepTheirAddressToThemselves() throws {
    let text = try send("GET", "/callback?code=x&state=\(state)").text.lowercased()
    for header in [
      "cache-control: no-store", "referrer-policy: no-referrer", "x-content-type-options: nosniff",
      "script-src 'none'", "frame-ancestors 'none'", "default-src 'none'",
    ] { #expect(text.contains(header), "\(header)") }
    for part in ["<html lang=\"en\">", "<title>", "<main>", "<h1", "color-scheme: light dark"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test func theFragmentIsHandedOver() throws {
    listener.expect(state: state, inFragment: true)
    let page = try send("GET", "/callback")
    #expect(page.status == "200")
    #expect(page.text.contains("history.replaceState"))
    let body = "id_token=a.b.c&state=\(state)"
    for origin in ["https://evil.example", "http://127.0.0.1:1", "null", ""] {
      let headers = origin.isEmpty ? [:] : ["Origin": origin]
      #expect(try send("POST", "/callback", headers: headers, body: body).status == "403")
    }
    let ours = ["Origin": "http://127.0.0.1:\(port)", "Sec-Fetch-Site": "same-origin"]
    #expect(try send("POST", "/callback", headers: ours, body: body).status == "200")
    #expect(taken() == ["id_token": "a.b.c"])
  }

  @Test func aTooLongFragmentIsRefused() throws {
    listener.expect(state: state, inFragment: true)
    let ours = ["Origin": "http://127.0.0.1:\(port)"]
    let body = "state=\(state)&id_token=" + String(repeating: "a", count: 200_000)
    #expect(try send("POST", "/callback", headers: ours, body: body).status == "413")
    #expect(listener.takeStray() == .unreadable)
    #expect(taken() == nil)
  }

  /// Requests that end in the server, before anybody here has seen them whole.
  @Test(arguments: ["target", "header", "headers", "coding"])
  func whatTheServerRefusesIsSaidToo(what: String) throws {
    let long = String(repeating: "x", count: 40_000)
    let target = "/callback?code=" + (what == "target" ? long : "x")
    var headers: [String: String] = [:]
    switch what {
    case "header": headers["X-Long"] = long
    case "headers": for number in 0..<4_000 { headers["X-\(number)"] = "y" }
    case "coding": headers["Transfer-Encoding"] = "gzip, chunked"
    default: break
    }
    _ = try send("GET", "/elsewhere?code=x", headers: headers)
    #expect(listener.takeStray() == nil)
    _ = try send("GET", target, headers: headers)
    // The note may come after the answer.
    var entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
    let isNoted = poll(&entry, 1, 5_000) == 1
    #expect(isNoted)
    #expect(listener.takeStray() == .unreadable)
    #expect(try send("GET", "/callback?code=ours&state=\(state)").status == "200")
    #expect(taken() == ["code": "ours"])
  }

  @Test func aCoveredAddressIsGivenOnce() throws {
    let cover = try listener.cover(SecureBox(SecureBytes(publicText: "https://id.example/end?id_token_hint=secret")))
    #expect(!cover.contains("secret") && cover.hasPrefix("http://127.0.0.1:\(port)/open/"))
    let target = String(cover.dropFirst("http://127.0.0.1:\(port)".count))
    #expect(!listener.wasFetched)
    let first = try send("GET", target)
    #expect(first.status == "303")
    #expect(first.text.contains("Location: https://id.example/end?id_token_hint=secret\r\n"))
    #expect(listener.wasFetched)
    #expect(try send("GET", target).status == "410")
  }

  @Test func aPortThatIsTakenIsSaid() throws {
    let failure = #expect(throws: Failure.self) { _ = try RedirectListener(port: port) }
    #expect(failure?.code == .exists)
    #expect(failure?.hint?.contains("--redirect-port") == true)
  }
}
