import Basics
import Foundation
import GatewayLab
import Replication
import SecureMemory
import Session
import StrategyHost
import TestSupport
import Testing

/// `replicator config` and `replicator check`, and a double of the replicator that is built with what they say.
@Suite struct ReplicatorTests {
  private func replicator(
    _ device: DeviceBuild, database: LocalDatabase = LocalDatabase()
  ) throws -> ReplicatorDouble {
    let config = try device.mfsctl("replicator", "config", "--reveal")
    try #require(config.status == 0, "\(config.errorText)")
    return try ReplicatorDouble(config: config.text, clock: device.lab.clock, database: database)
  }

  @Test func theConfigIsWhatTheVaultHolds() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let session = try device.value("auth.sessionId")
    let url = "ws" + device.lab.origin.dropFirst(4) + "/mfs"
    let masked = try device.mfsctl("replicator", "config")
    #expect(
      masked.text == #"{"url":"\#(url)","collections":[],"authenticator":{"type":"session","sessionId":"********","#
        + #""cookieName":"SyncGatewaySession"},"headers":{}}"# + "\n")
    #expect(!device.said.contains(session), "the session was shown")
    let revealed = try device.mfsctl("--json", "replicator", "config", "--reveal")
    #expect(revealed.text == masked.text.replacingOccurrences(of: "********", with: session))
    try device.sandbox.write(
      ".env",
      try String(contentsOfFile: device.sandbox(".env"), encoding: .utf8)
        + "EXPO_PUBLIC_REPLICATION_COLLECTIONS=field.workorders,field.users\n")
    let listed = try device.mfsctl("replicator", "config")
    #expect(
      listed.text.contains(#""collections":["field.workorders","field.users"]"#), "\(listed.text)\(listed.errorText)")
  }

  @Test func theCheckSaysWhatTheGatewayAnswers() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let check = try device.mfsctl("replicator", "check")
    #expect(check.status == 0 && check.text.hasPrefix("The gateway replicates ws://127.0.0.1:"), "\(check.errorText)")
    #expect(check.text.contains("/mfs with BLIP_3+CBMobile_4, called ") && check.errorText.isEmpty)
    let json = try JSONReader.value(Array(try device.mfsctl("--json", "replicator", "check").text.utf8))
    #expect(json["status"] == 101 && json["subprotocol"] == "BLIP_3+CBMobile_4" && json["level"] == "idle")
    #expect(json["code"] == .null && json["restartReplicator"] == false && json["presents"] == "session")
    #expect(json["offered"]?.strings == ["BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3"] && json["warnings"] == [])
    // Nothing stays open behind it.
    #expect(device.lab.gateway.waitForReplications(0))
  }

  static let faults: [(Fault.Kind, Int32, Int64, String, Bool)] = [
    (.unauthorized, 61, 10_401, "stopped", false), (.forbidden, 63, 10_403, "stopped", false),
    (.notFound, 63, 10_404, "stopped", false), (.redirect, 63, 10_302, "stopped", false),
    (.tooManyRequests, 62, 10_429, "offline", false), (.internalError, 62, 10_500, "stopped", true),
    (.badGateway, 62, 10_502, "offline", false), (.databaseOffline, 62, 10_503, "offline", false),
    (.cutConnection, 62, 5_018, "offline", false), (.garbage, 63, 11_002, "stopped", false),
    (.wrongAccept, 63, 11_002, "stopped", false), (.otherSubprotocol, 63, 10_403, "stopped", false),
    (.connectionList, 63, 11_002, "stopped", false), (.closeSocket, 62, 11_001, "stopped", true),
    (.cutSocket, 62, 11_006, "offline", false),
  ]

  @Test(arguments: faults) func eachAnswerHasItsExit(
    kind: Fault.Kind, exit: Int32, code: Int64, level: String, restarts: Bool
  ) throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.fail(kind, on: .replication)
    let names = try device.names()
    let check = try device.mfsctl("--json", "replicator", "check")
    #expect(check.status == exit, "\(check.errorText)")
    let json = try JSONReader.value(Array(check.text.utf8))
    #expect(json["code"] == .integer(code) && json["level"] == .string(level))
    #expect(json["restartReplicator"] == .bool(restarts))
    #expect(json["next"]?.string?.isEmpty == false && check.errorText.contains(#""hint":"#))
    #expect(try device.names() == names, "a check changes nothing")
    let session = try device.value("auth.sessionId")
    #expect(!device.said.contains(session))
  }

  @Test func nobodyThereIsTroubleThatPasses() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.lab.stop()
    let check = try device.mfsctl("--json", "replicator", "check")
    #expect(check.status == 62)
    #expect(try JSONReader.value(Array(check.text.utf8))["code"] == 5_019)
  }

  @Test func anExtendedSessionIsWarnedOf() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.lab.clock.advance(by: 10_000)
    let check = try device.mfsctl("replicator", "check")
    #expect(check.status == 0)
    #expect(check.errorText.contains("the answer sets the cookie SyncGatewaySession anew until 20"))
    #expect(check.errorText.contains("local database of their own"))
  }

  @Test func aSilentSocketIsWarnedOf() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.fail(.silentSocket, on: .replication)
    let check = try device.mfsctl("replicator", "check")
    #expect(check.status == 0 && check.errorText.contains("did not answer a ping"))
  }

  @Test func withoutASessionThereIsNothingToPresent() throws {
    let device = try DeviceBuild()
    for command in ["config", "check"] {
      let result = try device.mfsctl("replicator", command)
      #expect(result.status == 61 && result.text.isEmpty && result.errorText.contains("nobody is signed in"))
    }
    try #require(try device.login().status == 0)
    try device.settings(gateway: "https://other.example.com")
    let elsewhere = try device.mfsctl("replicator", "check")
    #expect(elsewhere.status == 61 && elsewhere.errorText.contains("other.example.com"))
    try device.settings(gateway: device.lab.origin)
    device.fail(.databaseOffline)
    #expect(try device.mfsctl("session", "auth-failure", "--code", "401").status == 62)
    let dropped = try device.mfsctl("replicator", "config")
    #expect(dropped.status == 61 && dropped.errorText.contains("mfsctl session refresh"))
  }

  @Test func aSettingThatCannotBeIsNamed() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    try device.sandbox.write(
      ".env",
      try String(contentsOfFile: device.sandbox(".env"), encoding: .utf8)
        + "EXPO_PUBLIC_REPLICATION_COLLECTIONS=one.two.three\n")
    let config = try device.mfsctl("replicator", "config")
    #expect(config.status == 3 && config.errorText.contains("EXPO_PUBLIC_REPLICATION_COLLECTIONS"))
    #expect(try device.mfsctl("session", "refresh").status == 0, "signing in does not need it")
  }

  @Test func bearerOnTheReplicatorNeedsAStrategyThatBringsIt() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    try device.sandbox.write(
      ".env",
      try String(contentsOfFile: device.sandbox(".env"), encoding: .utf8) + "EXPO_PUBLIC_AUTH_BEARER_ON_REPL=true\n")
    let config = try device.mfsctl("replicator", "config")
    #expect(config.status == 3 && config.errorText.contains("oidc_code"), "\(config.errorText)")
  }

  @Test func aBearerIsAHeaderAndNoAuthenticator() throws {
    let fixture = Fixture()
    let lab = try Lab()
    defer { lab.stop() }
    fixture.settings["EXPO_PUBLIC_SG_URL"] = lab.origin
    fixture.settings["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] = "true"
    try fixture.signIn()
    let service = {
      try fixture.service(ScriptedStrategies { _, _ throws(Failure) in throw Failure(.bug, "none runs") })
    }
    #expect(throws: Failure(.configuration, "")) { try service().replicator() }
    let token = "eyJhbGciOiJub25lIn0.e30.c2ln"
    fixture.store.set("auth.idToken", token)
    let replicator = try service().replicator()
    let url = "ws" + lab.origin.dropFirst(4) + "/mfs"
    let document =
      #"{"url":"\#(url)","collections":[],"authenticator":null,"headers":{"Authorization":"Bearer ********"}}"#
    #expect(replicator.masked.text == document)
    let revealed = try replicator.revealed().publicText()
    #expect(revealed == document.replacingOccurrences(of: "********", with: token) + "\n")
    // The lab has no provider, so the gateway ignores the token.
    let report = try #require(try ReplicatorCheck(replicator).run())
    #expect(report.code == 10_401 && report.json["presents"] == "bearer" && report.failure?.code == .signInNeeded)
  }

  @Test func aRejectedReplicatorIsRenewedAndRebuilt() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let first = try replicator(device)
    try first.start()
    #expect(first.status.level == .idle && device.lab.gateway.waitForReplications(1))
    device.lab.gateway.expireSessions()
    device.lab.gateway.closeReplications(.init(rawValue: 4_001))
    try first.run(milliseconds: 10_000)
    device.lab.clock.advance(by: 2)
    try first.run()
    let code = try #require(first.status.error?.sdkCode)
    #expect(first.status.level == .stopped && code == 10_401)
    // A replicator's configuration is frozen: the old one is rejected for ever.
    try #require(try device.mfsctl("session", "auth-failure", "--code", String(code)).status == 0)
    try first.start()
    #expect(first.status.error?.sdkCode == 10_401)
    let second = try replicator(device)
    try second.start()
    #expect(second.status.level == .idle)
    second.stop()
  }

  @Test func whatTheReplicatorStopsAtAndPassesIsNoSignOut() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    device.fail(.internalError, on: .replication)
    let replicator = try replicator(device)
    try replicator.start()
    let error = try #require(replicator.status.error)
    #expect(replicator.status.level == .stopped && error.needsRestart)
    let report = try device.mfsctl("--json", "session", "auth-failure", "--code", String(error.sdkCode))
    #expect(try JSONReader.value(Array(report.text.utf8))["restartReplicator"] == true)
    let passing = try device.mfsctl("--json", "session", "auth-failure", "--code", "10503")
    #expect(try JSONReader.value(Array(passing.text.utf8))["restartReplicator"] == false)
    let names = try device.names()
    #expect(report.status == 0 && names.contains("auth.sessionId"))
    device.mend()
    try replicator.start()
    #expect(replicator.status.level == .idle)
  }

  /// mobile-testkit#1110 and couchbase-lite-java-core#1617: the cookie that the local database keeps shadows the new session.
  @Test func aStoredCookieShadowsTheNewSession() throws {
    let device = try DeviceBuild()
    try #require(try device.login().status == 0)
    let database = LocalDatabase()
    device.lab.clock.advance(by: 10_000)
    let first = try replicator(device, database: database)
    try first.start()
    #expect(database.cookieNames == ["SyncGatewaySession"])
    first.stop()
    #expect(try device.mfsctl("session", "logout").status == 0)
    try #require(try device.login().status == 0)
    let shadowed = try replicator(device, database: database)
    try shadowed.start()
    #expect(shadowed.status.error?.sdkCode == 10_401)
    // The session itself is good, and the check, which has no such database, says so.
    #expect(try device.mfsctl("replicator", "check").status == 0)
    let own = try replicator(device)
    try own.start()
    #expect(own.status.level == .idle)
  }
}
