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
  private func mfsctl(
    _ device: DeviceBuild, off by: String, zone: String = "UTC0", _ arguments: String..., input: String = ""
  ) throws -> RunResult {
    let library = try Machine.faketimeLibrary()
    return try run(
      [Programs.buildFolder + "/mfsctl"] + arguments, in: device.sandbox,
      environment: [
        "MFSCTL_VAULT_KEY_FILE": device.sandbox("key"), "LD_PRELOAD": library, "FAKETIME": by,
        "DONT_FAKE_MONOTONIC": "1", "TZ": zone,
      ], input: Data(input.utf8))
  }

  private func state(_ device: DeviceBuild, off by: String, zone: String = "UTC0") throws -> String? {
    let result = try mfsctl(device, off: by, zone: zone, "--json", "session", "status")
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

  /// The moments around a change to and from summer time in three zones, and around a leap day: what is said of a session is the
  /// same everywhere, and no hour is lost or won.
  @Test func summerTimeAndLeapDaysMoveNothing() throws {
    let device = try DeviceBuild { $0.options.sessionTTL = 3 * 366 * 86_400 }
    try #require(try device.login().status == 0)
    let zones = [
      "UTC0", "EST5EDT,M3.2.0,M11.1.0", "CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    ]
    let changes = [
      "2027-03-14T07:00:00Z", "2027-03-28T01:00:00Z", "2027-04-03T15:00:00Z", "2027-10-02T15:30:00Z",
      "2027-10-31T01:00:00Z", "2027-11-07T06:00:00Z", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z",
    ]
    for change in changes {
      let change = try #require(Timestamp(rfc3339: change))
      for seconds: Int64 in [-30, 30] {
        let off = change.seconds + seconds - Timestamp.now().seconds
        let said = try Set(
          zones.map { zone in
            let result = try mfsctl(device, off: "+\(off)s", zone: zone, "--json", "session", "status")
            try #require(result.status == 0, "\(result.errorText)")
            return result.text
          })
        #expect(said.count == 1 && said.first?.contains(#""state":"signedIn""#) == true, "\(change.rfc3339): \(said)")
      }
    }
    // The last minutes of such a session, in a zone that has meanwhile changed its clocks five times.
    let end = 3 * 366 * 86_400
    #expect(try state(device, off: "+\(end - 120)s", zone: zones[1]) == "signedIn")
    #expect(try state(device, off: "+\(end - 20)s", zone: zones[1]) == "offline")
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
