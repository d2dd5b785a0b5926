import Basics
import Foundation
import TestSupport
import Testing

@testable import Session

@Suite struct DecisionLogTests {
  private static let decision = SessionDecision(
    at: Fixture.now, event: .refreshFailed(attempt: 3, .unreachable), effects: [.conclude(.offline(.unreachable))],
    state: .signInNeeded(.expired), reason: "session.network", origin: "https://sync.example.com")

  private func log(_ sandbox: Sandbox, limit: Int = 262_144) throws -> DecisionLog {
    let directories = try Directories(environment: Environment(["MFSCTL_HOME": sandbox("home")]))
    return DecisionLog(directories, profile: .default, limit: limit, patience: 300)
  }

  @Test func everyDecisionIsTold() throws {
    let fixture = Fixture()
    try fixture.signIn()
    _ = try fixture.service(Fixture.failing(.network)).replicatorFailed(ReplicatorCode(401))
    _ = try fixture.service(Fixture.failing(.badCredentials, status: 401)).refresh()
    _ = try fixture.logOut(Fixture.failing(.network))
    #expect(
      fixture.decided.map(\.event) == [
        "loaded none", "loginRequested", "loginSucceeded", "signInCommitted", "loaded signIn", "replicatorFailed 401",
        "refreshFailed unreachable", "loaded signIn", "refreshRequested", "refreshFailed credentialsRejected",
        "loaded none", "logoutRequested", "serverNotice not-told",
      ])
    #expect(fixture.decided[6].reason == "session.network")
    #expect(fixture.decided[9].reason == "session.credentials-rejected, HTTP 401")
    #expect(fixture.decided[8].origin == "https://sync.example.com", "the origin alone")
    #expect(fixture.decided[1].effects == ["runLogin"])
    #expect(fixture.decided[6].effects.contains("dropSession") && fixture.decided[6].state == "offline")
    #expect(fixture.decided[9].effects.contains("clearCredentials"))
    #expect(fixture.decided[9].effects.last == "conclude signInNeeded rejected")
    #expect(fixture.decided[11].effects.contains("removeCredentials"))
    let before = fixture.decided.count
    _ = try fixture.service(Fixture.failing(.network)).status()
    #expect(fixture.decided.count == before, "looking decides nothing")
    for canary in Canary.all + ["alice", "bob"] {
      #expect(!fixture.decided.contains { "\($0)".contains(canary) }, "\(canary)")
    }
  }

  @Test func aLineIsOneObjectInAPrivateFile() throws {
    let sandbox = try Sandbox()
    let log = try log(sandbox)
    try log.append(DecisionLogTests.decision)
    try log.append(DecisionLogTests.decision)
    let line =
      #"{"at":"2026-09-04T12:00:00Z","profile":"default","pid":\#(getpid()),"event":"refreshFailed unreachable","#
      + #""effects":["conclude offline unreachable"],"state":"signInNeeded expired","#
      + #""reason":"session.network","origin":"https://sync.example.com"}"# + "\n"
    #expect(try String(contentsOfFile: log.path, encoding: .utf8) == line + line)
    let mode = try FileManager.default.attributesOfItem(atPath: log.path)[.posixPermissions] as? Int
    #expect(mode == 0o600 && log.path == sandbox("home/state/session.log"))
  }

  /// Eight threads write more than fits: each line is whole, and what is kept is the newest and no more than two files.
  @Test func itIsBounded() throws {
    let sandbox = try Sandbox()
    let log = try log(sandbox, limit: 10_000)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<100 { try? log.append(DecisionLogTests.decision) }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox("home/state")).sorted()
    #expect(names == ["session.log", "session.log.1"])
    for name in names {
      let text = try String(contentsOfFile: sandbox("home/state/\(name)"), encoding: .utf8)
      #expect(!text.isEmpty && text.utf8.count <= 10_000, "\(name) has \(text.utf8.count) bytes")
      #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"at\":") && $0.hasSuffix("}") })
    }
  }

  /// Processes that write at the same time lose nothing to each other's turning of the log.
  @Test func noLineIsLostWhileProcessesTurnIt() throws {
    let sandbox = try Sandbox()
    // What they write together is more than one file holds and less than two: the log is turned once, and every line must
    // be in one of the two.
    let log = try log(sandbox, limit: 100_000)
    let gate = try open(sandbox.write("gate", ""), O_RDWR | O_CLOEXEC)
    #expect(flock(gate, LOCK_EX) == 0)
    let writers = try (0..<8).map { _ in
      try Background(
        [
          Programs.buildFolder + "/watch-probe", "log", sandbox("home/state"), sandbox("gate"), "\(log.limit)", "100",
        ], in: sandbox)
    }
    for writer in writers {
      let said = writer.text { $0 == "ready\n" }
      #expect(said == "ready\n")
    }
    #expect(flock(gate, LOCK_UN) == 0, "all begin at once")
    close(gate)
    for writer in writers { #expect(writer.wait() == 0, "\(writer.text)") }
    let files = try [log.path + ".1", log.path].map { try String(contentsOfFile: $0, encoding: .utf8) }
    let lines = files.joined().split(separator: "\n")
    let processes = Set(lines.compactMap { line in line.split(separator: ",").first { $0.hasPrefix("\"pid\":") } })
    #expect(lines.count == 800 && processes.count == 8)
    #expect(try log.newest(1_000).count == 800)
    #expect(try log.newest(10).count == 10)
  }

  @Test func aFollowerSeesEveryLineOnceAndOnlyItsProfile() throws {
    let sandbox = try Sandbox()
    let log = try log(sandbox, limit: 2_000)
    let directories = try Directories(environment: Environment(["MFSCTL_HOME": sandbox("home")]))
    let other = DecisionLog(directories, profile: try ProfileName("other"), limit: 2_000)
    let follower = DecisionLogFollower(log)
    #expect(try follower.new().isEmpty, "there is no log yet")
    var seen = 0
    for number in 1...60 {
      try log.append(DecisionLogTests.decision)
      try other.append(DecisionLogTests.decision)
      if number % 2 == 0 { seen += try follower.new().count }
    }
    #expect(seen == 60)
  }

  /// What a full disk cut short, what is no line of ours and what is too long is left out; control bytes are shown as such.
  @Test func whatIsNoLineIsLeftOut() throws {
    let sandbox = try Sandbox()
    let log = try log(sandbox)
    try log.append(DecisionLogTests.decision)
    let file = try #require(FileHandle(forWritingAtPath: log.path))
    try file.seekToEnd()
    let long = String(repeating: "x", count: 20_000)
    let steering = #"{"at":"t","profile":"default","event":"\u001b[31m","state":"s"}"#
    let added = "{\"at\":\n\u{FF}\n{\"at\":\"\(long)\"}\n[]\n\(steering)\n{\"at\":\"half"
    try file.write(contentsOf: Data(added.utf8))
    let lines = try log.newest(100)
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { line in !line.line.unicodeScalars.contains { $0.value < 0x20 } })
    #expect(
      lines[0].line
        == "2026-09-04T12:00:00Z  refreshFailed unreachable -> signInNeeded expired (session.network) at "
        + "https://sync.example.com")
  }

  @Test func whatIsNotItsOwnFileIsNotWritten() throws {
    let sandbox = try Sandbox()
    let log = try log(sandbox)
    let victim = try sandbox.write("victim", "mine\n", mode: 0o600)
    try FileManager.default.createDirectory(atPath: sandbox("home/state"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: log.path, withDestinationPath: victim)
    #expect(throws: Failure(.permissions, "")) { try log.append(DecisionLogTests.decision) }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine\n")
    try FileManager.default.removeItem(atPath: log.path)
    try sandbox.write("home/state/session.log", "", mode: 0o644)
    #expect(throws: Failure(.permissions, "")) { try log.append(DecisionLogTests.decision) }
  }
}
