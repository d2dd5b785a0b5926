import Foundation
import TestSupport
import Testing

@testable import BackendAdmin

/// The server as a process: it starts, serves, stops, and says nothing that it should not.
@Suite struct ServingTests {
  @Test func anAppSignsInRefreshesAndIsSignedOut() throws {
    let daemon = try Daemon()
    try daemon.serve()
    #expect(try daemon.get(daemon.origin + "/readyz").text == "ready\n")
    let one = try daemon.signIn(device: "dev_1")
    let families = try daemon.admin("family", "list", "--json").text
    #expect(families.contains(one.sid) && families.contains("dev_1"))
    #expect(try daemon.admin("device", "list", "--user", Daemon.user, "--json").text.contains("dev_1"))
    let second = try daemon.signIn()
    let next = try daemon.refresh(second.tokens.refresh_token)
    #expect(next.status == 200)
    // A command beside the running server counts at once.
    try daemon.admin("user", "disable", Daemon.user)
    let refused = try daemon.refresh(next.next ?? "")
    #expect(refused.status == 400 && refused.error == "invalid_grant")
    let answer = try daemon.get(
      daemon.origin + "/oauth/userinfo", "--header", "Authorization: Bearer \(second.tokens.access_token)", "--include")
    #expect(answer.text.hasPrefix("HTTP/1.1 401"))
    let (status, log) = try daemon.stop()
    #expect(status == 0)
    #expect(try Daemon.lines(log).last?["event"] as? String == "server.stopped")
  }

  /// What a command ends beside the running server is over at once: the refresh token, and the access token too.
  @Test func commandsEndSignIns() throws {
    let daemon = try Daemon()
    try daemon.serve()
    func isOver(_ one: SignIn) throws -> Bool {
      let answer = try daemon.get(
        daemon.origin + "/oauth/userinfo", "--header", "Authorization: Bearer \(one.tokens.access_token)",
        "--output", "/dev/null", "--write-out", "%{http_code}")
      return try answer.text == "401" && daemon.refresh(one.tokens.refresh_token).status == 400
    }
    let device = try daemon.signIn(device: "dev_1"), one = try daemon.signIn(), two = try daemon.signIn()
    let removed = try daemon.admin("device", "remove", Daemon.user, "dev_1", "--json").text
    #expect(removed == "{\"user\":\"\(device.sub)\",\"device\":\"dev_1\",\"ended\":[\"\(device.sid)\"]}\n")
    #expect(try isOver(device))
    #expect(try daemon.admin("family", "revoke", one.sid, "--json").text == "{\"ended\":[\"\(one.sid)\"]}\n")
    #expect(try isOver(one))
    try daemon.sandbox.write("password", "another password", mode: 0o600)
    let changed = try daemon.admin("user", "password", Daemon.user, "--password-file", "password", "--json").text
    #expect(changed == "{\"id\":\"\(two.sub)\",\"ended\":[\"\(two.sid)\"]}\n")
    #expect(try isOver(two))
    let three = try daemon.signIn()
    try daemon.admin("client", "remove", "mobile")
    // The sign-in is over at once; that there is no such client the running server may learn a second later.
    var error = try daemon.refresh(three.tokens.refresh_token).error
    #expect(error == "invalid_grant" || error == "invalid_client")
    for _ in 0..<60 where error != "invalid_client" { error = try daemon.refresh(three.tokens.refresh_token).error }
    #expect(error == "invalid_client")
    #expect(try daemon.admin("family", "list", "--json").text == "{\"families\":[]}\n")
    let audit = try daemon.admin("audit", "show").text
    for event in ["device.removed", "user.password", "client.removed", "reason=administrator  sid=\(one.sid)"] {
      #expect(audit.contains(event))
    }
  }

  /// Whatever an app holds or types is in no log, no metric, no audit record and not in the database.
  @Test func secretsAreNowhere() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let one = try daemon.signIn()
    let next = try daemon.refresh(one.tokens.refresh_token)
    // A replay, which raises an alert, and a request with a token in its query and one in its path.
    #expect(try daemon.refresh(one.tokens.refresh_token).status == 400)
    _ = try daemon.get(daemon.origin + "/oauth/userinfo?access_token=\(one.tokens.access_token)")
    _ = try daemon.get(daemon.origin + "/nowhere/\(one.tokens.refresh_token)")
    _ = try daemon.get(
      daemon.origin + "/oauth/token", "--data", "grant_type=password&password=\(Daemon.password)&client_id=mobile")
    let metrics = try daemon.get(daemon.metrics + "/metrics").text
    let audit = try daemon.admin("audit", "show", "--json").text
    let (status, log) = try daemon.stop()
    #expect(status == 0 && log.contains("refresh.refused") && log.contains("\"level\":\"alert\""))
    var texts = ["log": log, "metrics": metrics, "audit": audit]
    for name in try FileManager.default.contentsOfDirectory(atPath: daemon.sandbox("data")) {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: daemon.sandbox("data/\(name)")))
      texts[name] = String(decoding: bytes, as: UTF8.self)
    }
    let secrets =
      [
        Daemon.password, one.tokens.refresh_token, one.tokens.access_token, one.tokens.id_token, one.code, one.verifier,
        one.state, next.next ?? "?", "correct+horse",
      ] + one.cookies.values
    for (place, text) in texts {
      for secret in secrets { #expect(!text.contains(secret), "\(place) has a secret") }
    }
  }

  @Test func metricsAreCountsByEndpoint() throws {
    let daemon = try Daemon()
    try daemon.serve()
    _ = try daemon.signIn()
    let text = try daemon.get(daemon.metrics + "/metrics", "--include").text
    #expect(text.contains("Content-Type: text/plain; version=0.0.4"))
    #expect(text.contains("mfs_responses_total{endpoint=\"token\",status=\"200\"} 1\n"))
    #expect(text.contains("mfs_request_seconds_count{endpoint=\"token\"} 1\n"))
    #expect(text.contains("mfs_events_total{event=\"sign-in.completed\"} 1\n"))
    // Every line is a comment or a name, labels and a number.
    let body = text.components(separatedBy: "\r\n\r\n").last ?? ""
    let form = try Regex(#"(# (HELP|TYPE) .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+)"#)
    for line in body.split(separator: "\n") { #expect(try form.wholeMatch(in: line) != nil, "\(line)") }
    // Nothing of it is at the server's own address.
    #expect(
      try daemon.get(daemon.origin + "/metrics", "--output", "/dev/null", "--write-out", "%{http_code}").text == "404")
  }

  /// A form that is too long for OAuth is refused in OAuth's words, although it is longer than what most servers read.
  @Test func aFormThatIsTooLongIsRefusedAsOAuthRefuses() throws {
    let daemon = try Daemon()
    try daemon.serve()
    try daemon.sandbox.write("form", "grant_type=refresh_token&refresh_token=" + String(repeating: "x", count: 70_000))
    let answer = try daemon.get(daemon.origin + "/oauth/token", "--data", "@form", "--write-out", "%{http_code}").text
    #expect(answer.hasPrefix("{\"error\":\"invalid_request\"") && answer.hasSuffix("413"))
  }

  @Test func whatCannotServeSaysWhy() throws {
    let daemon = try Daemon()
    try daemon.serve()
    let port = daemon.origin.split(separator: ":").last.map(String.init) ?? ""
    let other = try run(
      ["mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox,
      environment: ["MFS_AUTHD_LISTEN_PORT": port])
    #expect(other.status == 11 && other.errorText.contains("cannot listen on 127.0.0.1 port \(port)"))
    let empty = try run(
      ["mfs-authd", "--config", "config.yaml", "serve"], in: daemon.sandbox,
      environment: ["MFS_AUTHD_DATABASE": "other/auth.db"])
    #expect(empty.status == 20 && !FileManager.default.fileExists(atPath: daemon.sandbox("other")))
  }

  @Test func inTheClearOnlyThisMachineAndProxiesAreHeard() {
    let proxies: Set = ["192.0.2.1"]
    for peer in ["127.0.0.1", "127.9.9.9", "::1", "192.0.2.1"] {
      #expect(BackendService.mayPass(peer, isClear: true, proxies: proxies), "\(peer)")
    }
    for peer in ["192.0.2.2", "10.0.0.1", "::2", "unknown", ""] {
      #expect(!BackendService.mayPass(peer, isClear: true, proxies: proxies), "\(peer)")
      #expect(BackendService.mayPass(peer, isClear: false, proxies: proxies), "\(peer)")
    }
  }

  /// By an address of this machine's that is not its loopback's, which stands for any other machine's.
  @Test(arguments: [false, true]) func whoComesAroundTheProxyIsTurnedAway(isListed: Bool) throws {
    let own = try #require(
      run(["hostname", "--all-ip-addresses"], in: Sandbox()).text.split { $0 == " " || $0 == "\n" }.map(String.init)
        .first { !$0.contains(":") }, "this test needs an IPv4 address of this machine's beside its loopback's")
    let daemon = try Daemon([
      "MFS_AUTHD_LISTEN_ADDRESS: 0.0.0.0", "MFS_AUTHD_TRUSTED_PROXIES: [\(isListed ? own : "198.51.100.7")]",
    ])
    try daemon.serve()
    let port = daemon.origin.split(separator: ":").last ?? ""
    func ask(_ host: String, _ path: String) throws -> String {
      try daemon.get(
        "http://\(host):\(port)\(path)", "--header", "X-Forwarded-For: 127.0.0.1", "--write-out", "%{http_code}"
      ).text
    }
    #expect(try ask("127.0.0.1", "/readyz") == "ready\n200")
    for path in ["/readyz", "/oauth/token", "/nothing"] {
      let answer = try ask(own, path)
      #expect((answer == "Only through the proxy\n403") == !isListed, "\(path): \(answer)")
    }
    if isListed { #expect(try ask(own, "/readyz") == "ready\n200") }
    let refused = try Daemon.lines(daemon.stop().log).filter { $0["status"] as? Int == 403 }
    #expect(refused.count == (isListed ? 0 : 3))
    // Whom it turned away is who came, whatever that one says of himself.
    #expect(refused.allSatisfy { $0["address"] as? String == own })
  }

  /// Who comes by IPv4 to a socket for both is the same as to one for IPv4.
  @Test func anIPv4ClientIsOneOnASocketForBoth() throws {
    let daemon = try Daemon(["MFS_AUTHD_LISTEN_ADDRESS: \"::\"", "MFS_AUTHD_TRUSTED_PROXIES: [127.0.0.1]"])
    try daemon.serve()
    let port = daemon.origin.split(separator: ":").last ?? ""
    #expect(
      try daemon.get("http://127.0.0.1:\(port)/readyz", "--header", "X-Forwarded-For: 203.0.113.9").text == "ready\n")
    let log = try Daemon.lines(daemon.stop().log)
    #expect(log.contains { $0["endpoint"] as? String == "readiness" && $0["address"] as? String == "203.0.113.9" })
  }

  /// Only listed proxies say whose request it is.
  @Test func aProxyThatIsListedSpeaksForItsClients() throws {
    let daemon = try Daemon(["MFS_AUTHD_TRUSTED_PROXIES: [127.0.0.1]"])
    try daemon.serve()
    _ = try daemon.get(daemon.origin + "/healthz", "--header", "X-Forwarded-For: 203.0.113.9, 198.51.100.7")
    let log = try Daemon.lines(daemon.stop().log)
    #expect(log.contains { $0["endpoint"] as? String == "health" && $0["address"] as? String == "198.51.100.7" })
  }
}
