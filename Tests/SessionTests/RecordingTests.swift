import Foundation
import TestSupport
import Testing

/// A sign-in that is recorded, and the plugin run again against the recording.
@Suite struct RecordingTests {
  private func recorded() throws -> (device: DeviceBuild, lines: [String]) {
    let device = try DeviceBuild()
    let login = try device.mfsctl(
      "session", "login", "--identifier", "alice", "--password-stdin", "--record", "rec", input: DeviceBuild.password)
    try #require(login.status == 0, "\(login.errorText)")
    let text = try String(contentsOfFile: device.sandbox("rec"), encoding: .utf8)
    return (device, text.split(separator: "\n").map(String.init))
  }

  /// A replay, where there is neither the vault's key nor a gateway.
  private func replay(_ device: DeviceBuild, _ more: String...) throws -> RunResult {
    try run(["mfsctl", "session", "login", "--replay", "rec"] + more, in: device.sandbox)
  }

  private func rewrite(_ device: DeviceBuild, _ lines: [String]) throws {
    try device.sandbox.write("rec", lines.joined(separator: "\n") + "\n", mode: 0o600)
  }

  @Test func aRecordingHasNoSecretAndIsItsOwnersAlone() throws {
    let (device, lines) = try recorded()
    defer { device.lab.stop() }
    let text = lines.joined(separator: "\n")
    let secrets = try [DeviceBuild.password, device.value("auth.sessionId"), "alice", device.value("mfs.deviceId")]
    let basic = Data("alice:\(DeviceBuild.password)".utf8).base64EncodedString()
    for secret in secrets + [basic] { #expect(!text.contains(secret), "\(secret)") }
    let mode = try FileManager.default.attributesOfItem(atPath: device.sandbox("rec"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(lines.first?.hasPrefix(#"{"recording":1,"strategy":"basic","#) == true)
    #expect(lines.last?.hasPrefix(#"{"end":"success","#) == true)
    #expect(text.contains(#""method":{"text":"POST"}"#) && text.contains("SyncGatewaySession=MASKED-"))
    // One that is there is not written over.
    let again = try device.mfsctl("session", "login", "--identifier", "alice", "--record", "rec")
    #expect(again.status == 11 && again.errorText.contains("rec is there already"), "\(again.errorText)")
    #expect(try String(contentsOfFile: device.sandbox("rec"), encoding: .utf8) == text + "\n")
  }

  @Test func aSignInThatNeverReachedThePluginLeavesNoFile() throws {
    let device = try DeviceBuild()
    defer { device.lab.stop() }
    try device.sandbox.write(
      ".env", "EXPO_PUBLIC_AUTH_STRATEGY=demo\nEXPO_PUBLIC_SG_URL=\(device.lab.origin)\nEXPO_PUBLIC_OTHER=1\n")
    let login = try run(["mfsctl", "session", "login", "--record", "rec"], in: device.sandbox)
    #expect(login.status != 0 && !FileManager.default.fileExists(atPath: device.sandbox("rec")), "\(login.errorText)")
  }

  @Test func aFileThatCannotBeHasANextStep() throws {
    let device = try DeviceBuild()
    defer { device.lab.stop() }
    func expect(_ option: String, _ file: String, _ status: Int32, _ message: String, _ hint: String) throws {
      let result = try device.mfsctl("session", "login", "--identifier", "alice", option, file)
      #expect(result.status == status, "\(option) \(file): \(result.errorText)")
      #expect(result.errorText.contains(message) && result.errorText.contains(hint), "\(result.errorText)")
    }
    try expect("--record", "", 2, "'' is not the name of a file", "give --record FILE")
    try expect(
      "--record", "no/dir/x", 10, "cannot open no/dir/x: No such",
      "make the folder no/dir first, or give another --record")
    try expect(
      "--record", ".env/x", 41, "cannot open .env/x: Not a directory", "give --record FILE where you may write")
    for file in ["", "missing"] {
      try expect(
        "--replay", file, 10, "cannot open \(file): No such", "'mfsctl session login --record FILE' makes one")
    }
  }

  @Test func aReplayFollowsWithoutNetworkAndVault() throws {
    let (device, lines) = try recorded()
    device.lab.stop()
    let vault = device.sandbox("home/data/vault/default.mfsv")
    let before = try Data(contentsOf: URL(fileURLWithPath: vault))
    let followed = try replay(device)
    #expect(followed.status == 0 && followed.text.isEmpty, "\(followed.text)\(followed.errorText)")
    let calls = lines.count - 2
    #expect(followed.errorText.contains("through \(calls) of \(calls) calls and signed in"), "\(followed.errorText)")
    let document = try run(["mfsctl", "--json", "session", "login", "--replay", "rec"], in: device.sandbox)
    #expect(
      document.text.hasPrefix(
        #"{"version":1,"strategy":"basic","calls":\#(calls),"recorded":\#(calls),"outcome":"signed in with "#),
      "\(document.text)")
    #expect(document.text.hasSuffix(#""departures":[],"samePlugin":true}"# + "\n"), "\(document.text)")
    // Not even where there is no vault at all.
    try FileManager.default.removeItem(atPath: device.sandbox("home"))
    #expect(try replay(device).status == 0)
    #expect(!FileManager.default.fileExists(atPath: vault) && !before.isEmpty)
  }

  @Test func theVaultIsNotTouched() throws {
    let (device, _) = try recorded()
    defer { device.lab.stop() }
    let vault = device.sandbox("home/data/vault/default.mfsv")
    let before = try Data(contentsOf: URL(fileURLWithPath: vault)), sessions = device.lab.gateway.sessionCount
    let (result, writes) = try runWatchingWrites(
      [Programs.buildFolder + "/mfsctl", "session", "login", "--replay", "rec"], in: device.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
    // The plugin's sealed copy in memory is no file of the sandbox's.
    let own = writes.filter { $0.contains(device.sandbox.path) || $0.contains("\"home") }
    #expect(result.status == 0 && own.isEmpty, "\(result.errorText) \(own)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault)) == before)
    #expect(device.lab.gateway.sessionCount == sessions)
  }

  @Test func whereThePluginDepartsIsSaid() throws {
    let (device, lines) = try recorded()
    device.lab.stop()
    func expect(_ changed: [String], _ words: String, status: Int32 = 1) throws {
      try rewrite(device, changed)
      let result = try replay(device)
      #expect(result.status == status, "\(words): \(result.errorText)")
      #expect((result.text + result.errorText).contains(words), "\(words): \(result.text)\(result.errorText)")
    }
    try expect(
      lines.map { $0.replacing("/mfs/_session", with: "/other/_session") },
      "call 3 (http) has another 'url' than in the recording")
    try expect(lines.map { $0.replacing("Password", with: "PIN") }, "call 1 (prompt) has another 'text'")
    try expect([lines[0]] + lines[2...], "it made call 1 (prompt), where the recording has secretBasic")
    try expect(Array(lines[..<3]), "it made call 3 (http), and the recording has 2 calls")
    // A gateway that answers otherwise makes it end otherwise.
    try expect(
      lines.map { $0.replacing(#""status":{"integer":200}"#, with: #""status":{"integer":401}"#) },
      "it ended after call 3; the recording has 7")
    try expect(
      lines.dropLast() + [#"{"end":"failure","words":["server"]}"#],
      "it signed in with cookieName, identifier, password, session, sessionExpiresAt, sessionId; in the recording it failed"
    )
    // One that ends by itself, where the recording ends within a call that it does not make.
    let refused = lines.map { $0.replacing(#""status":{"integer":200}"#, with: #""status":{"integer":401}"#) }
    let broken = #"{"call":4,"name":"wait","request":{},"ended":"cancelled"}"#
    try expect(
      Array(refused[..<4]) + [broken, #"{"end":"ended","words":["cancelled"]}"#],
      "it ended after call 3; the recording has 4")
    try expect(["{}"] + lines.dropFirst(), "is not a recording: it does not begin as one", status: 3)
    try expect(lines + ["x"], "is not a recording: line \(lines.count + 1) is not JSON", status: 3)
    try expect(
      lines.map { $0.replacing(#""recording":1"#, with: #""recording":2"#) }, "it is of version 2, not 1", status: 3)
  }

  /// Answers that no plugin could have been given are the file's fault, not the plugin's.
  @Test(arguments: [
    #"{"secret":{"number":1},"empty":{"boolean":false}}"#, #"{"secret":1}"#, #"{"secret":{}}"#,
    #"{"":{"boolean":true}}"#,
    #"{"time":{"instant":"yesterday"}}"#, #"{"list":{"list":[["a"]]}}"#,
    #"{"list":{"list":[["a",{"list":[["b",{"list":[]}]]}]]}}"#,
  ])
  func anAnswerThatIsNoneIsSaid(answer: String) throws { try expectNoAnswer(answer) }

  @Test func anAnswerOfMoreFieldsThanAMessageHasIsSaid() throws {
    let fields = (0..<65_536).map { #""f\#($0)":{"boolean":true}"# }
    try expectNoAnswer("{" + fields.joined(separator: ",") + "}")
  }

  private func expectNoAnswer(_ answer: String) throws {
    let (device, lines) = try recorded()
    device.lab.stop()
    let marker = #""answer":"#
    let end = try #require(lines[1].range(of: marker)).upperBound
    let changed = String(lines[1][..<end]) + answer + "}"
    try rewrite(device, [lines[0], changed] + Array(lines[2...]))
    let result = try replay(device)
    #expect(result.status == 3 && result.text.isEmpty, "\(result.text)\(result.errorText)")
    #expect(
      result.errorText.contains("the recording has an answer that cannot be understood")
        && result.errorText.contains("'mfsctl session login --record FILE' makes one that can"), "\(result.errorText)")
  }

  @Test func whatStandsInARecordingIsSafeToPrint() throws {
    let (device, lines) = try recorded()
    device.lab.stop()
    try rewrite(device, lines.dropLast() + [#"{"end":"failure","words":["\u001b[2J\n::error::forged\u202e"]}"#])
    let result = try replay(device)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(
      result.text.contains(#"in the recording it failed: \u{1b}[2J\u{a}::error::forged\u{202e}"#), "\(result.text)")
    #expect(result.text.split(separator: "\n").count == 1 && !result.text.contains("\u{1b}"), "\(result.text)")
    // Nor is it where a recording that was cut says how it ended.
    try rewrite(
      device,
      [
        lines[0], #"{"call":1,"name":"prompt","request":{},"ended":"\u001b[2J"}"#,
        #"{"end":"\u001b[2J","words":["\u001b[2J"]}"#,
      ])
    let ended = try replay(device)
    #expect(!(ended.text + ended.errorText).contains("\u{1b}"), "\(ended.text)\(ended.errorText)")
  }

  /// Signs in at a gateway whose `Handler` is this Python code, and returns what was recorded of it.
  private func recordedSignIn(_ device: DeviceBuild, as name: String, at handler: String) throws -> String {
    let serving = """

      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    let server = try Background(["python3", "-c", handler + serving, name], in: device.sandbox)
    defer { server.end() }
    let port = server.text { $0.hasSuffix("\n") }.trimmingCharacters(in: .newlines)
    try device.settings(gateway: "http://127.0.0.1:\(port)")
    _ = try device.mfsctl(
      "session", "login", "--identifier", name, "--password-stdin", "--record", "rec", input: DeviceBuild.password)
    return try String(contentsOfFile: device.sandbox("rec"), encoding: .utf8)
  }

  /// A gateway that repeats who signs in wherever it can.
  private static let repeating = """
    import http.server, json, sys, urllib.parse
    name = sys.argv[1]
    quoted = urllib.parse.quote(name)
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.dumps({"error": "for " + name, "reason": name + " may not sign in", name: 1}).encode()
            self.send_response_only(401)
            self.send_header("Server", "gateway of " + name)
            self.send_header("Date", name)
            self.send_header("Set-Cookie", "SyncGatewaySession=x; Path=/mfs/" + quoted + "; HttpOnly")
            self.send_header("Set-Cookie", "of-" + quoted + "=x")
            self.send_header("Location", "http://other.example.com/" + quoted + "/x-" + quoted)
            if name.isalpha():
                self.send_header("X-Of-" + name, "x")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    """

  /// Who signs in is not in the recording, whatever the server repeats it in.
  @Test(arguments: ["alice", "alice@example.com"]) func whoSignsInIsMaskedWhereTheServerRepeatsIt(name: String) throws {
    let device = try DeviceBuild()
    device.lab.stop()
    let text = try recordedSignIn(device, as: name, at: RecordingTests.repeating)
    #expect(!text.contains("alice"), "\(text)")
    for kept in ["******** may not sign in", "gateway of ********", "Path=/mfs/********; HttpOnly"] {
      #expect(text.contains(kept), "\(kept): \(text)")
    }
    // The plugin gets what was masked, by that name or by another.
    for more in [[], ["--identifier", name]] {
      let again = try run(["mfsctl", "session", "login", "--replay", "rec"] + more, in: device.sandbox)
      #expect(again.status == 0, "\(again.text)\(again.errorText)")
    }
  }

  /// A name too short to be looked for within words is masked where it stands by itself, and the words stay.
  @Test(arguments: ["bob", "a"]) func aShortNameIsMaskedWhereItStandsByItself(name: String) throws {
    let device = try DeviceBuild()
    device.lab.stop()
    let text = try recordedSignIn(device, as: name, at: RecordingTests.repeating)
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    #expect(!words.contains(Substring(name)), "\(text)")
    for kept in [
      "for ********", "******** may not sign in", "gateway of ********", "Path=/mfs/********; HttpOnly",
      "http://other.example.com/********/x-********", "SyncGatewaySession=MASKED-", "/mfs/_session",
    ] {
      #expect(text.contains(kept), "\(kept): \(text)")
    }
    for more in [[], ["--identifier", name]] {
      let again = try run(["mfsctl", "session", "login", "--replay", "rec"] + more, in: device.sandbox)
      #expect(again.status == 0, "\(again.text)\(again.errorText)")
    }
  }

  /// What the server says goes through the mask whatever its form.
  @Test(arguments: [
    #"{"ok":true,"secretField":"CANARY-in-a-field","number":271828,"CANARYnamethatisfartoolongtobeoneofaprotocol":1}"#,
    #"["CANARY-in-an-array"]"#, "CANARY in plain text", #"{"ok":true,"reason":"CANARY-pass-7f3a was wrong"}"#,
    #"{"error_description":"esc\u0061ped CANARY\u002dpass","userCtx":{"name":"CANARY-name"}}"#, "{\"ok\":\"CANARY",
  ])
  func whatAServerSaysIsMasked(body: String) throws {
    let device = try DeviceBuild()
    device.lab.stop()
    try device.sandbox.write("body", body)
    let text = try recordedSignIn(
      device, as: "alice",
      at: """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.send_response(200)
                self.send_header("Set-Cookie", "SyncGatewaySession=CANARYcookie; Path=/mfs; Comment=CANARYcomment")
                self.send_header("Set-Cookie", "CANARY271828182845904523536=x")
                self.send_header("Location", "http://other.example.com/CANARY27182818284?code=CANARY#CANARY")
                self.send_header("X-Token", "CANARYheader")
                self.end_headers()
                self.wfile.write(open("body", "rb").read())
        """)
    #expect(text.contains(#""name":"http""#) && text.contains("http://other.example.com/********"), "\(text)")
    #expect(!text.contains("CANARY") && !text.contains("271828"), "\(text)")
    let again = try replay(device)
    #expect(again.status == 0, "\(again.text)\(again.errorText)")
  }
}
