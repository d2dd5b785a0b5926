import Basics
import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import BackendAdmin

@Suite struct AlertTests {
  /// Runs a receiver of alerts that answers with these statuses first.
  private func receiver(_ statuses: Int..., in sandbox: Sandbox) throws -> (process: Background, port: String) {
    let process = try Background(
      ["/usr/bin/python3", Daemon.peer("hook.py")] + statuses.map(String.init), in: sandbox)
    let port = process.text { $0.contains("\n") }.split(separator: "\n").first.map(String.init) ?? ""
    return (process, port)
  }

  /// A webhook whose first alert waits for its second try, however long the others take to be raised, and the receiver. That it is stopped
  /// breaks the wait off.
  private func busyWebhook(in sandbox: Sandbox) throws -> (hook: Background, webhook: Webhook) {
    let (hook, port) = try receiver(500, in: sandbox)
    try sandbox.write("log", "")
    let file = open(sandbox("log"), O_WRONLY | O_CLOEXEC)
    let log = try ServiceLog(descriptor: file)
    let webhook = try Webhook(
      WebhookSettings(url: try #require(HTTPURL("http://127.0.0.1:\(port)/")), allowedHosts: ["127.0.0.1"]),
      issuer: "i", log: log, firstPause: 3_600)
    webhook.send(.init(name: "first", fields: [], isAlert: true, at: .now()))
    #expect(hook.text { $0.contains("\n500 ") }.contains("first"))
    return (hook, webhook)
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

  private func told(_ hook: Background, until isDone: (String) -> Bool) throws -> [[String: Any]] {
    try hook.text(until: isDone).split(separator: "\n").dropFirst().map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.dropFirst(4).utf8)) as? [String: Any])
    }
  }

  /// Sends many requests on one connection; what they need is nobody's secret.
  private func flood(_ daemon: Daemon, _ count: Int, _ method: String, _ target: String, _ form: String) throws {
    let program = """
      import http.client, sys
      host, count, method, target, form = sys.argv[1:]
      connection = http.client.HTTPConnection(host.split("/")[2])
      for number in range(int(count)):
          connection.request(method, target, form.replace("#", str(number)), {"Content-Type": "application/x-www-form-urlencoded"})
          connection.getresponse().read()
      """
    let result = try run(
      ["/usr/bin/python3", "-c", program, daemon.origin, String(count), method, target, form], in: daemon.sandbox)
    #expect(result.status == 0, "\(result.errorText)")
  }

  /// Who has nothing valid raises no alert and fills no queue: what is stolen is still told of.
  @Test func aFloodOfStrangersHidesNoReplay() throws {
    let sandbox = try Sandbox()
    let (hook, port) = try receiver(in: sandbox)
    let daemon = try Daemon([
      "MFS_AUTHD_WEBHOOK_URL: http://127.0.0.1:\(port)/", "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS: [127.0.0.1]",
    ])
    try daemon.admin(
      "client", "add", "strict", "--redirect-uri", "https://app.example.com/cb", "--attestation", "require")
    try daemon.serve()
    let one = try daemon.signIn()
    _ = try daemon.refresh(one.tokens.refresh_token)
    try flood(
      daemon, 330, "POST", "/oauth/token",
      "grant_type=authorization_code&client_id=strict&code=mfc_\(String(repeating: "A", count: 43))&code_verifier=\(String(repeating: "v", count: 43))"
    )
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 400)
    let told = try told(hook) { $0.contains("replay") }
    #expect(told.count == 1 && (told[0]["fields"] as? [String: String])?["sid"] == one.sid)
    let metrics = try daemon.get(daemon.metrics + "/metrics").text
    #expect(metrics.contains("mfs_webhook_alerts_total{outcome=\"dropped\"} 0\n"))
    #expect(metrics.contains("mfs_events_total{event=\"attestation.refused\"} 330\n"))
    // Two, when a minute has ended in between.
    let audit = try daemon.admin("audit", "show").text
    #expect((2...3).contains(audit.components(separatedBy: "attestation.refused").count), "\(audit)")
    #expect(try daemon.stop().status == 0)
  }

  /// Limits that are met are told of, once for each and place.
  @Test func abuseIsTold() throws {
    let sandbox = try Sandbox()
    let (hook, port) = try receiver(in: sandbox)
    let daemon = try Daemon([
      "MFS_AUTHD_WEBHOOK_URL: http://127.0.0.1:\(port)/", "MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS: [127.0.0.1]",
      "MFS_AUTHD_TOKENS_PER_CLIENT: 5", "MFS_AUTHD_AUTHORIZATIONS_PER_CLIENT: 5", "MFS_AUTHD_CALLS_PER_ADDRESS: 5",
    ])
    try daemon.serve()
    try flood(daemon, 20, "POST", "/oauth/token", "grant_type=refresh_token&client_id=mobile&refresh_token=x")
    try flood(daemon, 20, "GET", "/authorize?client_id=mobile", "")
    try flood(daemon, 20, "POST", "/oauth/revoke", "client_id=mobile&token=x")
    let told = try told(hook) { $0.contains("call.limited") }.map { $0["event"] as? String }
    #expect(told == ["token.limited", "authorize.limited", "call.limited"])
    let log = try Daemon.lines(daemon.stop().log)
    for name in ["token.limited", "authorize.limited", "call.limited"] {
      #expect(log.filter { $0["event"] as? String == name && $0["level"] as? String == "alert" }.count == 1)
      #expect(log.filter { $0["event"] as? String == name }.count == 15)
    }
  }

  /// How often an alert is sent, by what it is answered; a server that has a bad day is asked again, and one that says no is not.
  @Test(arguments: [
    ([204], 1, true), ([404], 1, false), ([301], 1, false), ([400], 1, false), ([429, 408], 3, true),
    ([500, 503], 3, true),
    ([500, 500, 500, 500, 500], 6, true), ([500, 502, 503, 429, 408, 599], 6, false), ([503, 410], 2, false),
  ])
  func anAlertIsTriedAgain(_ statuses: [Int], _ count: Int, _ isSent: Bool) throws {
    let sandbox = try Sandbox()
    let hook = try Background(["/usr/bin/python3", Daemon.peer("hook.py")] + statuses.map(String.init), in: sandbox)
    let port = hook.text { $0.contains("\n") }.split(separator: "\n").first.map(String.init) ?? ""
    try sandbox.write("log", "")
    let file = open(sandbox("log"), O_WRONLY)
    defer { close(file) }
    let log = try ServiceLog(descriptor: file)
    let webhook = try Webhook(
      WebhookSettings(url: try #require(HTTPURL("http://127.0.0.1:\(port)/")), allowedHosts: ["127.0.0.1"]),
      issuer: "i", log: log, firstPause: 0.01)
    let start = MonotonicInstant.now()
    webhook.send(.init(name: "e", fields: [], isAlert: true, at: .now()))
    func outcome(_ name: String) -> Int64 { webhook.count("alerts_total{outcome=\"\(name)\"}") ?? 0 }
    let deadline = start.advanced(bySeconds: 60)
    while outcome("sent") + outcome("failed") == 0, MonotonicInstant.now() < deadline { usleep(1_000) }
    // Each pause is twice as long as the one before.
    #expect(MonotonicInstant.now().milliseconds(since: start) >= 10 * ((1 << (count - 1)) - 1))
    webhook.stop(within: 10)
    #expect(hook.text.split(separator: "\n").dropFirst().count == count)
    #expect(outcome("sent") == (isSent ? 1 : 0) && outcome("failed") == (isSent ? 0 : 1))
    log.flush(within: 10)
    let lines = try Daemon.lines(String(contentsOfFile: sandbox("log"), encoding: .utf8))
    #expect(lines.map { $0["tries"] as? Int } == (isSent ? [] : [count]))
    #expect(Webhook.firstPause == 1, "a second, then 2, 4, 8 and 16")
  }

  /// When more alerts wait than are kept, what is urgent has a place, and goes first.
  @Test func urgentAlertsGoFirst() throws {
    let sandbox = try Sandbox()
    let (hook, webhook) = try busyWebhook(in: sandbox)
    for number in 0..<1_000 {
      webhook.send(.init(name: "many", fields: [("n", "\(number)")], isAlert: true, at: .now()))
    }
    webhook.send(.init(name: "refresh.refused", fields: [("reason", "replay")], isAlert: true, at: .now()))
    webhook.stop(within: 60)
    let told = try told(hook) { _ in true }.map { $0["event"] as? String }
    #expect(Array(told.prefix(3)) == ["first", "refresh.refused", "many"])
    #expect(told.count { $0 == "many" } == Webhook.capacity - Webhook.kept && told.count == 194)
  }

  /// Whoever has accounts can raise urgent alerts at will: they leave the others' places free.
  @Test func urgentAlertsOfOneUserHideNoOthers() throws {
    let sandbox = try Sandbox()
    let (hook, webhook) = try busyWebhook(in: sandbox)
    func replay(of user: String, _ sid: Int) {
      let fields = [("reason", "replay"), ("user", user), ("sid", "\(sid)")]
      webhook.send(.init(name: "refresh.refused", fields: fields, isAlert: true, at: .now()))
    }
    for number in 0..<1_000 {
      webhook.send(.init(name: "many", fields: [("n", "\(number)")], isAlert: true, at: .now()))
      replay(of: "bob", number)
    }
    replay(of: "alice", 1)
    let others = Int64(Webhook.capacity - Webhook.kept), own = Int64(Webhook.perUser)
    #expect(webhook.count("waiting") == 1 + others + own + 1, "the first, the many, some of bob's and alice's")
    // Many accounts take all places, but one of each for those that have none yet.
    for number in 0..<1_000 { replay(of: "eve-\(number % 40)", number) }
    replay(of: "carol", 1)
    webhook.stop(within: 60)
    let told = try told(hook) { _ in true }.compactMap { $0["fields"] as? [String: String] }
    let users = told.compactMap { $0["user"] }
    #expect(users.contains("alice") && users.contains("carol"))
    #expect(users.count { $0 == "bob" } <= Webhook.perUser && Set(users).count == 43)
  }

  /// What is urgent takes the place of what is not, whoever it is about; the server's own trouble gives way to nobody's sign-ins.
  @Test(arguments: [true, false]) func urgentAlertsAreTheLastToGo(besideOthers: Bool) throws {
    let sandbox = try Sandbox()
    let (hook, webhook) = try busyWebhook(in: sandbox)
    for number in 0..<12 {
      webhook.send(.init(name: "tls.failed", fields: [("n", "\(number)")], isAlert: true, at: .now()))
    }
    // With others all places are taken by the 192 of them, these 12 and 52 of 7 users; without them by 12 and 244 of 31.
    for number in 0..<(besideOthers ? 1_000 : 0) {
      webhook.send(.init(name: "many", fields: [("n", "\(number)")], isAlert: true, at: .now()))
    }
    let count = besideOthers ? 60 : 256
    for number in 0..<count {
      let fields = [("reason", "replay"), ("user", "eve-\(number / Webhook.perUser)"), ("sid", "\(number)")]
      webhook.send(.init(name: "refresh.refused", fields: fields, isAlert: true, at: .now()))
    }
    webhook.stop(within: 60)
    let told = try told(hook) { _ in true }
    let events = told.compactMap { $0["event"] as? String }
    #expect(events.count { $0 == "tls.failed" } == 12)
    if besideOthers { #expect(events.count { $0 == "refresh.refused" } == count) }
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
      WebhookSettings(url: url, allowedHosts: ["127.0.0.1"]), issuer: "i", log: try ServiceLog(descriptor: null))
    let start = MonotonicInstant.now()
    for number in 0..<2_000 {
      webhook.send(.init(name: "e", fields: [("n", "\(number)")], isAlert: true, at: .now()))
    }
    #expect(MonotonicInstant.now().milliseconds(since: start) < 2_000)
    // One is being tried, or not yet; the places that only urgent ones take are free.
    let (waiting, places) = (Int(webhook.count("waiting") ?? -1), Webhook.capacity - Webhook.kept)
    #expect((places...places + 1).contains(waiting))
    #expect(webhook.count("alerts_total{outcome=\"dropped\"}") == Int64(2_000 - waiting))
    webhook.stop(within: 0)
    #expect(MonotonicInstant.now().milliseconds(since: start) < 10_000)
    #expect(webhook.count("waiting") == 0)
  }

  /// What the log says of an alert that could not be sent is how often that was tried, also when the server's end broke it off.
  @Test func theLogSaysHowOftenItWasTried() throws {
    let sandbox = try Sandbox()
    try sandbox.write("log", "")
    let file = open(sandbox("log"), O_WRONLY)
    defer { close(file) }
    let log = try ServiceLog(descriptor: file)
    let url = try #require(HTTPURL("http://127.0.0.1:\(DeadPort.shared.port)/"))
    let webhook = try Webhook(WebhookSettings(url: url, allowedHosts: ["127.0.0.1"]), issuer: "i", log: log)
    webhook.send(.init(name: "e", fields: [], isAlert: true, at: .now()))
    webhook.stop(within: 10)
    log.flush(within: 10)
    let lines = try Daemon.lines(String(contentsOfFile: sandbox("log"), encoding: .utf8))
    #expect(lines.map { $0["event"] as? String } == ["webhook.failed"] && lines.first?["tries"] as? Int == 1)
  }
}

extension Webhook {
  /// A number of its metrics.
  fileprivate func count(_ name: String) -> Int64? {
    metrics.split(separator: "\n").first { $0.hasPrefix("mfs_webhook_\(name) ") }
      .flatMap { $0.split(separator: " ").last }.flatMap { Int64($0) }
  }
}
