import Basics
import Foundation
import GatewayLab
import TestSupport
import Testing

/// `session watch` as a process, beside other processes that change the same vault.
@Suite struct WatchCommandTests {
  private func lines(_ watch: Background, _ count: Int) -> [Substring] {
    watch.text { $0.split(separator: "\n").count >= count }.split(separator: "\n")
  }

  private func event(_ line: Substring) throws -> JSONValue { try JSONReader.value(Array(line.utf8)) }

  @Test func itSeesWhatOtherProcessesDoWithinASecond() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let watch = try device.background("--json", "session", "watch", "--wait")
    var seen = 1
    #expect(lines(watch, seen).count == 1, "\(watch.errorText)")
    let steps: [([String], String)] = [
      (["session", "refresh"], "refreshed-elsewhere"), (["session", "logout"], "logout"),
      (["login"], "signed-in-elsewhere"),
      (["session", "logout", "--wipe"], "logout"), (["login"], "signed-in-elsewhere"), (["vault", "logout"], "logout"),
    ]
    for (words, reason) in steps {
      let start = Date()
      let result = words == ["login"] ? try device.login() : try device.command(words)
      let done = Date()
      #expect(result.status == 0, "\(result.errorText)")
      seen += 1
      let told = lines(watch, seen)
      // To read the vault takes the watch as long as it takes a command, and more when the machine is busier than it was then.
      #expect(Date().timeIntervalSince(done) < 1 + 3 * done.timeIntervalSince(start), "\(words)")
      try #require(told.count == seen, "\(words): \(told)")
      #expect(try event(told[seen - 1])["reason"]?.string == reason, "\(told[seen - 1])")
    }
    // A vault that is destroyed and made anew with another key is another vault: the key that the watch has does not open it.
    try FileManager.default.removeItem(atPath: device.sandbox("home/data"))
    try FileManager.default.removeItem(atPath: device.sandbox("key"))
    try #require(try device.mfsctl("--quiet", "vault", "init", "--generate", "--key-file", "key").status == 0)
    #expect(watch.wait() == 22, "\(watch.errorText)")
  }

  @Test func itEndsWhenAPersonHasToSignIn() throws {
    let device = try DeviceBuild()
    let nobody = try device.mfsctl("session", "watch", "--on-signed-out", "cat >told; sleep 0.3; echo done >>told")
    #expect(nobody.status == 61 && nobody.errorText.contains("nobody is signed in"))
    let told = try String(contentsOfFile: device.sandbox("told"), encoding: .utf8)
    #expect(
      told.contains(#""event":"signedOut""#) && told.hasSuffix("done\n"), "the command ends before the watch does")
    try #require(try device.login().status == 0)
    let watch = try device.background("session", "watch")
    #expect(lines(watch, 1).count == 1)
    #expect(try device.mfsctl("session", "logout").status == 0)
    #expect(watch.wait() == 61)
    #expect(watch.errorText.contains("run 'mfsctl session login'"))
  }

  @Test func signalsEndItCleanly() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    for (signal, status) in [(SIGINT, 130), (SIGTERM, 0), (SIGHUP, 0)] as [(Int32, Int32)] {
      let watch = try device.background("session", "watch", "--on-credential", "sleep 30 & echo $! >sleeper; wait")
      #expect(lines(watch, 1).count == 1)
      for _ in 0..<500 where !FileManager.default.fileExists(atPath: device.sandbox("sleeper")) { usleep(10_000) }
      watch.send(signal)
      #expect(watch.wait() == status)
      let sleeper = try String(contentsOfFile: device.sandbox("sleeper"), encoding: .utf8).dropLast()
      // It was killed before the watch ended; when the kernel carries that out is not ours to say.
      var hasEnded = false
      for _ in 0..<500 where !hasEnded {
        let state = (try? String(contentsOfFile: "/proc/\(sleeper)/stat", encoding: .utf8)) ?? ""
        hasEnded = state.isEmpty || state.contains(") Z ")
        if !hasEnded { usleep(10_000) }
      }
      #expect(hasEnded, "what the command started has ended too")
      try FileManager.default.removeItem(atPath: device.sandbox("sleeper"))
    }
  }

  @Test func oneRunsForAProfileAndNamesItself() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let watch = try device.background("session", "watch")
    #expect(lines(watch, 1).count == 1)
    let second = try device.mfsctl("session", "watch")
    #expect(second.status == 42)
    #expect(
      second.errorText.contains("process \(watch.program ?? 0), 'session watch', since 20"), "\(second.errorText)")
    watch.send(SIGKILL)
    _ = watch.wait()
    // The name of one that was killed stays in the file, and is nobody's.
    let third = try device.background("session", "watch")
    #expect(lines(third, 1).count == 1, "\(third.errorText)")
  }

  /// The commands are told what happened, and no secret: not in their arguments, their environment or their input.
  @Test func theCommandsAreToldNoSecret() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let session = try device.value("auth.sessionId")
    let watch = try device.background(
      "session", "watch", "--on-credential",
      "{ tr '\\0' '\\n' </proc/$$/cmdline; env; cat; } >told.new; mv told.new told")
    _ = lines(watch, 1)
    for _ in 0..<500 where !FileManager.default.fileExists(atPath: device.sandbox("told")) { usleep(10_000) }
    let told = try String(contentsOfFile: device.sandbox("told"), encoding: .utf8)
    #expect(told.contains("MFSCTL_EVENT=credential") && told.contains("MFSCTL_REASON=found"))
    #expect(told.contains("MFSCTL_PROFILE=default") && told.contains(#""state":"signedIn""#))
    for secret in [session, DeviceBuild.password, Canary.databaseKey] { #expect(!told.contains(secret)) }
    watch.send(SIGTERM)
    _ = watch.wait()
    for secret in [session, DeviceBuild.password] { #expect(!(watch.text + watch.errorText).contains(secret)) }
  }

  @Test func aCommandThatFailsIsToldAndNothingStops() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let watch = try device.background("--json", "session", "watch", "--on-credential", "echo said; exit 3")
    let told = lines(watch, 2)
    try #require(told.count == 2)
    #expect(try event(told[1])["message"]?.string == "--on-credential ended with status 3")
    #expect(watch.errorText == "said\n", "what a command prints is no result")
    #expect(watch.isRunning)
  }

  /// The session ends soon after the skew: the watch refreshes by itself, and again.
  @Test func itRefreshesInTimeAndAfterTrouble() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 310 }
    try #require(try device.login().status == 0)
    device.fail(.databaseOffline)
    let watch = try device.background("--json", "session", "watch")
    // Ten seconds until the refresh is due; then it fails, is tried again, and works.
    let failed = watch.text { $0.contains(#""event":"retry""#) }
    #expect(failed.contains(#""reason":"session.network""#), "\(failed)")
    device.mend()
    let mended = watch.text { $0.contains(#""reason":"refreshed""#) }
    #expect(mended.contains(#""reason":"refreshed""#), "\(mended)\(watch.errorText)")
    #expect(device.lab.gateway.sessionCount == 2)
    let log = try device.mfsctl("session", "log").text
    #expect(log.contains("watchRetry -> signedIn (session.network, refresh 1 failed on end, next try in "), "\(log)")
    #expect(log.contains("refreshFailed server -> signedIn (session.network, HTTP 503)"), "\(log)")
  }

  @Test func itEndsWithItsReader() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let started = Date()
    let result = try run(
      ["bash", "-c", "'\(Programs.buildFolder)/mfsctl' session watch | head -n 1; echo ${PIPESTATUS[0]}"],
      in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
    #expect(result.text.hasSuffix("\n141\n") && result.errorText.isEmpty, "\(result.text)\(result.errorText)")
    #expect(Date().timeIntervalSince(started) < 10)
  }

  /// On a terminal one line shows who is signed in and when each of the clocks ends.
  @Test func aTerminalShowsALiveLine() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let result = try run(
      [
        "script", "-qec", "timeout -s TERM 3 '\(Programs.buildFolder)/mfsctl' session watch", "/dev/null",
      ], in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key"), "TERM": "xterm"])
    #expect(result.text.contains("new credential (found)"), "\(result.text)")
    #expect(result.text.contains("\r\u{1B}[Ksigned in as alice | session in 23 h 59 min"), "\(result.text)")
    #expect(result.text.contains("refresh in 23 h 5"), "\(result.text)")
  }

  @Test func theSampleUnitIsSound() throws {
    try SampleUnit("mfsctl-watch.service", program: "mfsctl").expectSound(
      ["session watch", "--wait", "NoNewPrivileges=yes", "ProtectSystem=strict", "LoadCredential"], exposure: 40)
  }
}

extension DeviceBuild {
  func command(_ words: [String]) throws -> RunResult {
    try TestSupport.run(
      [Programs.buildFolder + "/mfsctl"] + words, in: sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": sandbox("key")])
  }
}
