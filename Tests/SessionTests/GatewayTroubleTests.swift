import Basics
import Foundation
import GatewayLab
import TestSupport
import Testing

/// What a gateway in trouble does to a device that is signed in, command by command; at sign-in, `EndToEndTests` has it.
@Suite struct GatewayTroubleTests {
  /// A run of a command whose clock runs so many times as fast: its 30 seconds for an answer are one and a half at 20.
  private func hurried(_ device: DeviceBuild, _ arguments: [String], input: String = "", speed: Int = 20) throws -> (
    result: RunResult, took: Duration
  ) {
    var fault = Fault(.slow)
    fault.delayMilliseconds = 10_000
    var scenario = device.lab.gateway.scenario
    scenario.faults = [fault]
    device.lab.gateway.scenario = scenario
    let start = ContinuousClock.now
    let result = try run(
      ["faketime", "-f", "+0 x\(speed)", Programs.buildFolder + "/mfsctl", "--json"] + arguments, in: device.sandbox,
      environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")], input: Data(input.utf8))
    return (result, ContinuousClock.now - start)
  }

  @Test func aSlowGatewayIsGivenUpAtSignIn() throws {
    let device = try DeviceBuild()
    let (result, took) = try hurried(
      device, ["session", "login", "--identifier", "alice", "--password-stdin"], input: DeviceBuild.password)
    #expect(result.status == 62 && result.text.isEmpty, "\(result.errorText)")
    #expect(result.errorText.contains(#""code":"session.network","message":"Can’t reach the server."#))
    #expect(took >= .milliseconds(1_400) && took < .seconds(9), "\(took)")
    #expect(try device.names() == ["mfs.dbkey.main"])
  }

  @Test func aSlowGatewayIsGivenUpAtARefreshAndTheSessionStays() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let (session, names) = (try device.value("auth.sessionId"), try device.names())
    let (result, took) = try hurried(device, ["session", "refresh"])
    #expect(result.status == 62 && result.text.contains(#""state":"signedIn""#), "\(result.errorText)")
    #expect(result.errorText.contains("timed out"), "\(result.errorText)")
    #expect(took >= .milliseconds(1_400) && took < .seconds(9), "\(took)")
    #expect(try device.value("auth.sessionId") == session)
    #expect(try device.names() == names)
    device.mend()
    #expect(try device.mfsctl("session", "refresh").status == 0)
    #expect(try device.value("auth.sessionId") != session)
  }

  @Test func aSlowGatewayIsGivenUpAtASignOutWhichIsDoneHere() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    // The strategy has 30 seconds in all, and then half a second to say what it came to: that must not be too short for it
    // on a busy machine.
    let (result, took) = try hurried(device, ["session", "logout"], speed: 5)
    #expect(result.status == 50 && result.text.contains(#""server":"unreachable""#), "\(result.errorText)")
    #expect(took >= .milliseconds(5_500), "\(took)")
    #expect(try device.names() == ["mfs.dbkey.main", "mfs.deviceId"])
  }

  static let faults: [(Fault.Kind, Int32)] = EndToEndTests.faults.filter { $0.0 != .unauthorized }

  @Test(arguments: faults) func aFaultAtARefreshHasItsExitAndKeepsAll(_ kind: Fault.Kind, _ exit: Int32) throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let vault = device.sandbox("home/data/vault/default.mfsv")
    let before = try Data(contentsOf: URL(fileURLWithPath: vault))
    device.fail(kind)
    let result = try device.mfsctl("--json", "session", "refresh")
    #expect(result.status == exit, "\(result.errorText)")
    #expect(result.text.contains(#""state":"signedIn""#), "\(result.text)")
    #expect(result.errorText.contains(#""exit":\#(exit)}}"#), "\(result.errorText)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault)) == before)
    device.mend()
    #expect(try device.mfsctl("session", "refresh").status == 0)
  }

  /// 401 at a refresh is the one answer that costs the credentials.
  @Test func aRefusedRefreshNeedsASignIn() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.fail(.unauthorized)
    #expect(try device.mfsctl("session", "refresh").status == 61)
    #expect(
      try device.names() == ["auth.binding", "auth.identifier", "auth.strategy", "mfs.dbkey.main", "mfs.deviceId"])
  }

  static let goodbyes: [(Fault.Kind, server: String)] = [
    // 404 is the gateway's word for a session that is gone, and a 200 is a 200 whatever comes with it.
    (.notFound, "told"), (.wrongJSON, "told"), (.garbage, "told"), (.noCookie, "told"),
    (.unauthorized, "told"), (.forbidden, "not-told"), (.redirect, "not-told"), (.tooManyRequests, "unreachable"),
    (.internalError, "unreachable"), (.badGateway, "unreachable"), (.databaseOffline, "unreachable"),
    (.hugeBody, "unreachable"), (.cutConnection, "unreachable"), (.cutAnswer, "unreachable"),
  ]

  /// Whatever the gateway answers, the device is signed out, and is told what the gateway knows.
  @Test(arguments: goodbyes) func aFaultAtASignOutLeavesNothingHere(_ kind: Fault.Kind, server: String) throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.fail(kind)
    let result = try device.mfsctl("--json", "session", "logout")
    #expect(result.status == (server == "told" ? 0 : 50), "\(result.text)\(result.errorText)")
    #expect(result.text.contains(#""server":"\#(server)""#), "\(result.text)")
    #expect(try device.names() == ["mfs.dbkey.main", "mfs.deviceId"])
  }

  /// A redirect to another host is not followed by any command: that host hears of nothing.
  @Test func nothingIsSentToWhereTheGatewayPoints() throws {
    let device = try DeviceBuild(), other = WatchedPort()
    try #require(try device.login().status == 0)
    var fault = Fault(.redirect)
    fault.location = "http://127.0.0.1:\(other.port)/mfs/_session"
    var scenario = device.lab.gateway.scenario
    scenario.faults = [fault]
    for command in [["refresh"], ["auth-failure", "--code", "401"], ["logout"]] {
      device.lab.gateway.scenario = scenario
      let result = try run(
        [Programs.buildFolder + "/mfsctl", "session"] + command, in: device.sandbox,
        environment: ["MFSCTL_VAULT_KEY_FILE": device.sandbox("key")])
      #expect(result.status == (command == ["logout"] ? 50 : 63), "\(result.errorText)")
      device.mend()
      try #require(try device.login().status == 0)
    }
    #expect(!other.wasReached)
  }
}
