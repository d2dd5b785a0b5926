import Basics
import Foundation
import TestSupport
import Testing

@testable import Session

@Suite struct DecisionLogTests {
  private static let decision = SessionDecision(
    at: Fixture.now, event: .refreshFailed(attempt: 3, .unreachable), effects: [.conclude(.offline(.unreachable))],
    state: .signInNeeded(.expired))

  private func log(_ sandbox: Sandbox, limit: Int = 262_144) throws -> DecisionLog {
    let directories = try Directories(environment: Environment(["MFSCTL_HOME": sandbox("home")]))
    return DecisionLog(directories, profile: .default, limit: limit)
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
        "loaded none", "logoutRequested",
      ])
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
      + #""effects":["conclude offline unreachable"],"state":"signInNeeded expired"}"# + "\n"
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
      // Threads that meet a file that another puts aside add to it a line each at most.
      #expect(!text.isEmpty && text.utf8.count < 12_000, "\(name) has \(text.utf8.count) bytes")
      #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"at\":") && $0.hasSuffix("\"}") })
    }
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
