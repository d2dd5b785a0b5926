import Basics
import Foundation
import GatewayLab
import Session
import StrategyHost
import TestSupport
import Testing

/// A machine whose clock is wrong or jumps. The gateway's is right.
@Suite struct ClockTests {
  /// `mfsctl` with a clock that is off, e.g. `-3d`.
  private func mfsctl(_ device: DeviceBuild, off by: String, _ arguments: String..., input: String = "") throws
    -> RunResult
  {
    let library = try Machine.faketimeLibrary()
    return try run(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: device.sandbox,
      environment: [
        "MFSCTL_VAULT_KEY_FILE": device.sandbox("key"), "LD_PRELOAD": library, "FAKETIME": by,
        "DONT_FAKE_MONOTONIC": "1",
      ], input: Data(input.utf8))
  }

  private func state(_ device: DeviceBuild, off by: String) throws -> String? {
    let result = try mfsctl(device, off: by, "--json", "session", "status")
    let document = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
    return document?["state"] as? String
  }

  @Test func theStateFollowsTheClock() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3_600 }
    try #require(try device.login().status == 0)
    #expect(try state(device, off: "+0") == "signedIn")
    #expect(try state(device, off: "+3400s") == "signedIn")
    #expect(try state(device, off: "+3590s") == "offline")
    #expect(try state(device, off: "+20y") == "offline")
    #expect(try state(device, off: "-3d") == "signedIn")
    #expect(try state(device, off: "@1971-01-01 00:00:00") == "signedIn")
    #expect(device.lab.gateway.sessionCount == 1, "looking sends nothing")
  }

  @Test func aClockThatIsAheadIsNamedAndLosesNothing() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3_600 }
    try #require(try device.login().status == 0)
    let session = try device.value("auth.sessionId")
    for arguments in ["refresh", "restore"] {
      let result = try mfsctl(device, off: "+2d", "session", arguments)
      #expect(result.status == 62 && result.errorText.contains("is this machine's clock right?"), "\(result.errorText)")
    }
    #expect(try device.value("auth.sessionId") == session)
    #expect(try device.mfsctl("session", "restore").status == 0, "the clock is right again")
    let login = try mfsctl(
      device, off: "+2d", "session", "login", "--identifier", "alice", "--password-stdin", input: DeviceBuild.password)
    #expect(login.status == 62 && login.errorText.contains("is this machine's clock right?"), "\(login.errorText)")
    #expect(try device.value("auth.sessionId") == session)
    #expect(device.lab.gateway.sessionCount == 1, "sessions that were not kept were ended")
  }

  @Test func aClockThatIsBehindDoesNoHarm() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3_600 }
    for (command, exit) in [("login", Int32(0)), ("refresh", 0), ("auth-failure", 0), ("logout", 0)] {
      let more = ["login": ["--identifier", "alice", "--password-stdin"], "auth-failure": ["--code", "401"]]
      let result = try run(
        Machine.faketime("-2d") + [Programs.buildFolder + "/mfsctl", "session", command] + (more[command] ?? []),
        in: device.sandbox, environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")],
        input: Data(DeviceBuild.password.utf8))
      #expect(result.status == exit, "\(command): \(result.errorText)")
    }
    #expect(device.lab.gateway.sessionCount <= 2)
  }

  @Test func aNewSessionThatIsTooShortIsSaidToBeThat() throws {
    let fixture = Fixture()
    try fixture.signIn(until: Fixture.now.advanced(by: 10))
    let brief = ScriptedStrategies { _, _ throws(Failure) in
      try cookie("brief", until: Fixture.now.advanced(by: 20), identifier: nil, password: nil)
    }
    let report = try fixture.service(brief).restore()
    #expect(report.status.state == .offline)
    #expect(report.failure?.code == .network)
    #expect(report.failure?.message.contains("the server's new session ends at 2026-09-04T12:00:20Z") == true)
    #expect(report.failure?.hint == "is this machine's clock right?")
  }
}
