import Basics
import Foundation
import GatewayLab
import SecureMemory
import TestSupport
import Testing

@testable import Session

/// `session fetch` against the lab's gateway, as processes.
@Suite struct FetchTests {
  private func device(_ change: (inout Scenario) -> Void = { _ in }) throws -> DeviceBuild {
    let device = try DeviceBuild(change)
    device.lab.gateway.setDocument("note", json: #"{"_id":"note","text":"hello"}"#)
    try #require(try device.login().status == 0)
    return device
  }

  @Test func theBodyGoesToStdout() throws {
    let device = try device()
    let answer = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(answer.status == 0, "\(answer.errorText)")
    #expect(answer.text.contains(#""text":"hello""#) && answer.errorText.isEmpty)
    let json = try device.mfsctl("--json", "session", "fetch", "\(device.lab.origin)/mfs/note")
    let document = try JSONReader.value(Array(json.text.utf8))
    #expect(document["status"] == .integer(200) && document["encoding"]?.string == "utf8")
    #expect(document["body"]?.string?.contains(#""text":"hello""#) == true)
    let head = try device.mfsctl("session", "fetch", "--method", "HEAD", "\(device.lab.origin)/mfs/note")
    #expect(head.status == 0 && head.text.isEmpty)
  }

  @Test func aRefusedSessionIsRefreshedOnceAndTheRequestSentAgain() throws {
    let device = try device()
    let before = try device.value("auth.sessionId")
    device.lab.gateway.expireSessions()
    let answer = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(answer.status == 0 && answer.text.contains("hello"), "\(answer.errorText)")
    #expect(!answer.text.contains("Session Invalid"), "the refusal's body is nobody's answer")
    #expect(try device.value("auth.sessionId") != before)
    #expect(device.lab.gateway.sessionCount == 1)
  }

  @Test func manyAtOnceRefreshOnce() throws {
    let device = try device()
    device.lab.gateway.expireSessions()
    let all = try (0..<12).map { _ in try device.background("session", "fetch", "\(device.lab.origin)/mfs/note") }
    for one in all {
      #expect(one.wait() == 0, "\(one.errorText)")
      #expect(one.text.contains("hello"))
    }
    #expect(device.lab.gateway.sessionCount == 1, "one refresh for all")
  }

  @Test func aRefusalForGoodHasItsExit() throws {
    let device = try device()
    device.fail(.unauthorized, on: .other)
    let refused = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(refused.status == 60 && refused.errorText.contains("to a new credential too"), "\(refused.errorText)")
    #expect(device.lab.gateway.sessionCount == 2, "one refresh, not more")
    device.fail(.unauthorized)
    let rejected = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(rejected.status == 61, "\(rejected.errorText)")
    #expect(try device.names().contains("mfs.dbkey.main"))
  }

  static let answers: [(Fault.Kind, Int32)] = [
    (.forbidden, 63), (.notFound, 63), (.redirect, 63), (.tooManyRequests, 62), (.internalError, 62), (.badGateway, 62),
    (.databaseOffline, 62), (.cutConnection, 62), (.cutAnswer, 62),
  ]

  @Test(arguments: answers) func trouble(_ kind: Fault.Kind, _ exit: Int32) throws {
    let device = try device()
    let session = try device.value("auth.sessionId")
    device.fail(kind, on: .other)
    let answer = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(answer.status == exit, "\(answer.errorText)")
    #expect(try device.value("auth.sessionId") == session, "what is no refusal of the session leaves it as it is")
    #expect(device.lab.gateway.sessionCount == 1)
  }

  @Test func aRedirectIsNotFollowed() throws {
    let device = try device()
    let other = try PythonServer(script: recorder(device.sandbox))
    var scenario = device.lab.gateway.scenario
    var fault = Fault(.redirect)
    fault.location = "http://127.0.0.1:\(other.port)/mfs/note?secret=1"
    scenario.faults = [fault]
    device.lab.gateway.scenario = scenario
    let answer = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(answer.status == 63)
    #expect(answer.errorText.contains("a redirect to http://127.0.0.1:\(other.port), which is not followed"))
    #expect(!answer.errorText.contains("secret="))
    #expect(!FileManager.default.fileExists(atPath: device.sandbox("seen")), "nothing was sent there")
  }

  @Test func onlyTheAllowedOriginsAreAsked() throws {
    let device = try device()
    let other = try PythonServer(script: recorder(device.sandbox))
    let gateway = device.lab.origin
    let urls = [
      "http://127.0.0.1:\(other.port)/", "http://localhost:\(other.port)/", "https://example.com/",
      "file:///etc/passwd",
      "/mfs/note", "\(gateway.replacingOccurrences(of: "127.0.0.1", with: "127.0.0.2"))/mfs/note",
      gateway.replacingOccurrences(of: "//", with: "//alice@") + "/mfs/note", "\(gateway)#x",
      "\(gateway)\\@example.com/",
      "http://sync.example.com/", "ws\(gateway.dropFirst(4))/mfs/note",
    ]
    for url in urls {
      let answer = try device.mfsctl("session", "fetch", url)
      #expect(answer.status == 2 && answer.text.isEmpty, "\(url): \(answer.status) \(answer.errorText)")
    }
    #expect(!FileManager.default.fileExists(atPath: device.sandbox("seen")))
  }

  @Test func itsOwnHeadersAreItsOwn() throws {
    let device = try device()
    for header in ["Cookie: a=b", "authorization: Bearer x", "no colon", "a b: c", "X: a\nCookie: b", ": x"] {
      let answer = try device.mfsctl("session", "fetch", "--header", header, "\(device.lab.origin)/mfs/note")
      #expect(answer.status == 2, "\(header): \(answer.errorText)")
    }
    let host = try device.mfsctl("session", "fetch", "--header", "Host: example.com", "\(device.lab.origin)/mfs/note")
    #expect(host.status == 2 || host.status == 3, "\(host.errorText)")
  }

  @Test func theAnswerHasALimit() throws {
    let device = try device()
    device.lab.gateway.setDocument("long", json: #"{"text":"\#(String(repeating: "x", count: 300_000))"}"#)
    let cut = try device.mfsctl("session", "fetch", "--limit", "100000", "\(device.lab.origin)/mfs/long")
    #expect(cut.status == 62 && cut.output.count <= 100_000 && cut.errorText.contains("--limit"), "\(cut.errorText)")
    let whole = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/long")
    #expect(whole.status == 0 && whole.output.count > 300_000)
  }

  @Test func aSessionThatHasEndedIsRefreshedFirst() throws {
    let device = try device { $0.options.sessionTTL = 20 }
    let answer = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    // It is shorter than the restore margin, and so is what comes in its place.
    #expect(answer.status == 62, "\(answer.errorText)")
    #expect(try device.mfsctl("session", "logout").status == 0)
    let nobody = try device.mfsctl("session", "fetch", "\(device.lab.origin)/mfs/note")
    #expect(nobody.status == 61 && nobody.errorText.contains("nobody is signed in"))
  }

  @Test func theBodyAndTheHeadersAreSentAndTheBearerToNamedOriginsOnly() throws {
    let fixture = Fixture()
    let sandbox = try Sandbox()
    let server = try PythonServer(script: recorder(sandbox))
    let origin = "http://127.0.0.1:\(server.port)"
    try fixture.signIn()
    fixture.store.set("auth.idToken", "CANARY.id.token")
    func fetch(_ strategies: ScriptedStrategies, origins: [String]) throws -> SessionFetch {
      SessionFetch(configuration: try SessionConfiguration(settings: fixture.settings, origins: origins)) {
        () throws(Failure) in
        do { return try fixture.service(strategies) } catch { throw error as? Failure ?? Failure(.bug, "\(error)") }
      }
    }
    var request = SessionFetch.Request("PUT", "\(origin)/a?b=c")
    request.fields = [("Content-Type", "text/plain"), ("X-Two", "2")]
    request.body = try SecureBoxes.text("the body")
    let output = Collected()
    #expect(throws: Failure(.usage, "")) {
      try fetch(ScriptedStrategies.never(), origins: ["http://127.0.0.1:1"]).send(request, to: output)
    }
    let answer = try fetch(ScriptedStrategies.never(), origins: [origin]).send(request, to: output)
    #expect(answer.status == 200 && answer.failure == nil)
    let seen = try String(contentsOfFile: sandbox("seen"), encoding: .utf8)
    #expect(seen.contains("PUT /a?b=c") && seen.contains("Authorization: Bearer CANARY.id.token"), "\(seen)")
    #expect(
      seen.contains("X-Two: 2") && seen.hasSuffix("the body\n") && !seen.lowercased().contains("cookie"), "\(seen)")
    #expect(output.text == "seen")

    // That server's refusal says nothing of the gateway's session, which stays whatever comes of the refresh.
    request.url = "\(origin)/refuse"
    let strategies = Fixture.failing(.network)
    let session = fixture.store.text("auth.sessionId")
    #expect(throws: Failure(.network, "")) { try fetch(strategies, origins: [origin]).send(request, to: output) }
    #expect(strategies.operations == [.refresh] && fixture.store.text("auth.sessionId") == session)
  }

  /// A gateway says 401 to a good ID token too, when it cannot reach the provider just then.
  @Test func aBearerThatIsStillGoodIsSentOnceMoreBeforeARefresh() throws {
    let fixture = Fixture()
    let sandbox = try Sandbox()
    let server = try PythonServer(script: recorder(sandbox))
    let origin = "http://127.0.0.1:\(server.port)"
    try fixture.signIn()
    fixture.store.set("auth.idToken", "CANARY.id.token")
    fixture.store.set("auth.idTokenExpiresAt", Fixture.end.rfc3339)
    func fetch(_ strategies: ScriptedStrategies, _ path: String, _ output: Collected) throws -> SessionFetch.Answer {
      try SessionFetch(configuration: try SessionConfiguration(settings: fixture.settings, origins: [origin])) {
        () throws(Failure) in
        do { return try fixture.service(strategies) } catch { throw error as? Failure ?? Failure(.bug, "\(error)") }
      }.send(SessionFetch.Request("GET", origin + path), to: output)
    }
    let output = Collected(), start = MonotonicInstant.now()
    let answer = try fetch(ScriptedStrategies.never(), "/refuse-once", output)
    #expect(answer.status == 200 && output.text == "seen")
    #expect(MonotonicInstant.now().milliseconds(since: start) >= 1_900, "a moment later, not at once")
    // Refused again, it is refreshed, once.
    let strategies = Fixture.failing(.network)
    #expect(throws: Failure(.network, "")) { try fetch(strategies, "/refuse", Collected()) }
    #expect(strategies.operations == [.refresh])
    // One that has ended is not worth a wait.
    fixture.store.set("auth.idTokenExpiresAt", Fixture.now.advanced(by: -1).rfc3339)
    let again = MonotonicInstant.now()
    #expect(throws: Failure(.network, "")) { try fetch(strategies, "/refuse", Collected()) }
    #expect(MonotonicInstant.now().milliseconds(since: again) < 1_900)
  }

  /// A server that writes down what it was sent, and refuses at `/refuse`, and the first time at `/refuse-once`.
  private func recorder(_ sandbox: Sandbox) throws -> String {
    try sandbox.write(
      "recorder.py",
      """
      import http.server
      refused = []
      class Recorder(http.server.BaseHTTPRequestHandler):
          def answer(self):
              body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
              with open("\(sandbox("seen"))", "a") as file:
                  file.write(f"{self.command} {self.path}\\n{self.headers}{body}\\n")
              refuses = self.path == "/refuse" or self.path == "/refuse-once" and not refused
              refused.append(refuses)
              self.send_response(401 if refuses else 200)
              self.send_header("Content-Length", "4")
              self.end_headers()
              self.wfile.write(b"seen")
          do_GET = do_PUT = do_POST = answer
          def log_message(self, *_): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
      print(server.server_port, flush=True)
      server.serve_forever()

      """)
  }
}

private enum SecureBoxes {
  static func text(_ text: String) throws -> SecureBox { SecureBox(try SecureBytes(publicText: text)) }
}

private final class Collected: FetchOutput {
  var text = ""
  func take(_ bytes: UnsafeRawBufferPointer) throws(Failure) { text += String(decoding: bytes, as: UTF8.self) }
}
