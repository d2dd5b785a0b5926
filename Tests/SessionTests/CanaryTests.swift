import Basics
import Foundation
import SecureMemory
import Session
import StrategyHost
import Testing

/// Secrets are planted, and looked for in everything that a session says or leaves behind.
@Suite struct CanaryTests {
  @Test func noSecretLeavesTheVault() throws {
    let fixture = Fixture()
    var said: [String] = []
    func note(_ status: SessionStatus) { said += [status.json.text] + status.lines(at: fixture.now) + ["\(status)"] }
    func note(_ report: SessionService.Report) {
      note(report.status)
      said += [report.failure.map { "\($0) \($0.hint ?? "")" } ?? "", report.note ?? "", "\(report)"]
      dump(report, to: &said[said.count - 1])
    }
    let renewing = ScriptedStrategies { call, services throws(Failure) in
      services.log("running \(call.operation)")
      return try cookie(Canary.refreshed, until: Fixture.end)
    }
    note(try fixture.signIn())
    dump(SessionReading(try fixture.store.contents()), to: &said[said.count - 1])
    note(try fixture.service(renewing).refresh())
    note(try fixture.service(renewing).replicatorFailed(ReplicatorCode(401)))
    note(try fixture.service(Fixture.failing(.network)).refresh())
    note(try fixture.service(Fixture.failing(.network)).replicatorFailed(ReplicatorCode(404)))
    note(try fixture.service(renewing).restore())
    note(
      try fixture.service(
        ScriptedStrategies { _, _ throws(Failure) in
          .success(["session": .text("cookie"), "sessionId": try secret(Canary.session + " broken")])
        }
      ).refresh())
    fixture.settings["EXPO_PUBLIC_SG_DB"] = "other"
    note(try fixture.service(renewing).restore())
    fixture.settings = Fixture.basic
    let (report, notice) = try fixture.logOut(Fixture.failing(.network))
    said += ["\(report)", "\(notice)"]
    said += fixture.said
    #expect(said.count > 30)
    for canary in Canary.all { #expect(!said.contains { $0.contains(canary) }, "\(canary) was said") }
    let files = try #require(FileManager.default.enumerator(atPath: fixture.folder)).allObjects.map { "\($0)" }
    #expect(files.contains("session/refresh-default.lock"))
    for file in files {
      let bytes = (try? String(contentsOfFile: "\(fixture.folder)/\(file)", encoding: .utf8)) ?? ""
      for canary in Canary.all { #expect(!bytes.contains(canary), "\(canary) is in \(file)") }
    }
  }
}
