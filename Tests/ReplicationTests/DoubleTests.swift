import Basics
import GatewayLab
import Replication
import SecureMemory
import TestSupport
import Testing

/// The double of a replicator against the lab, by the lab's clock.
@Suite("A replicator goes by LiteCore's rules") struct DoubleTests {
  private func replicator(
    _ lab: GatewayFixture, _ session: String, database: LocalDatabase = LocalDatabase(),
    _ change: (inout ReplicatorDouble.Configuration) -> Void = { _ in }
  ) throws -> ReplicatorDouble {
    var configuration = ReplicatorDouble.Configuration(
      try lab.endpoint, .session(try secret(session), cookieName: "SyncGatewaySession"))
    change(&configuration)
    let clock = lab.lab.clock
    return ReplicatorDouble(configuration, database: database) { clock.now() }
  }

  @Test func itConnectsAndStops() throws {
    let lab = try GatewayFixture()
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    #expect(replicator.status.level == .idle && replicator.subprotocol == "BLIP_3+CBMobile_4")
    #expect(lab.gateway.waitForReplications(1))
    replicator.stop()
    #expect(replicator.status == .init(level: .stopped) && lab.gateway.waitForReplications(0))
    #expect(replicator.levels == [.connecting, .busy, .idle, .stopped])
  }

  @Test(arguments: [false, true]) func itWaitsLongerAndLonger(isContinuous: Bool) throws {
    let lab = try GatewayFixture()
    lab.fail(.databaseOffline)
    let replicator = try replicator(lab, try lab.signIn()) { $0.isContinuous = isContinuous }
    try replicator.start()
    var waits: [Int64] = []
    while let due = replicator.status.retryAt, waits.count < 12 {
      #expect(replicator.status.level == .offline && replicator.status.error?.sdkCode == 10_503)
      let wait = due.seconds - lab.lab.clock.now().seconds
      waits.append(wait)
      lab.lab.clock.advance(by: wait - 1)
      let before = replicator.connections
      try replicator.run()
      #expect(replicator.connections == before, "it did not wait")
      lab.lab.clock.advance(by: 1)
      try replicator.run()
    }
    // A one-shot one gives up after the tenth attempt.
    let expected: [Int64] = [2, 4, 8, 16, 32, 64, 128, 256, 300]
    #expect(waits == (isContinuous ? expected + [300, 300, 300] : expected))
    #expect(replicator.status.level == (isContinuous ? .offline : .stopped))
  }

  @Test func aConnectionBeginsTheCountAnew() throws {
    let lab = try GatewayFixture()
    lab.fail(.badGateway) { $0.times = 3 }
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    for _ in 0..<3 {
      lab.lab.clock.advance(by: 8)
      try replicator.run()
    }
    #expect(replicator.status.level == .idle && replicator.status.error == nil && replicator.connections == 4)
    #expect(lab.gateway.waitForReplications(1))
    lab.gateway.closeReplications(.init(rawValue: 4_001))
    try replicator.run(milliseconds: 10_000)
    #expect(replicator.status.error?.sdkCode == 14_001)
    #expect(replicator.status.retryAt == lab.lab.clock.now().advanced(by: 2))
  }

  static let fates: [(Fault.Kind, UInt16, Int, ReplicatorDouble.Level)] = [
    (.closeSocket, 1_001, 11_001, .stopped), (.closeSocket, 1_008, 11_008, .stopped),
    (.closeSocket, 1_011, 11_011, .stopped),
    (.closeSocket, 4_001, 14_001, .offline), (.closeSocket, 4_002, 14_002, .stopped),
    (.cutSocket, 1_000, 11_006, .offline),
  ]

  @Test(arguments: fates) func anOpenSocketEnds(
    kind: Fault.Kind, close: UInt16, code: Int, level: ReplicatorDouble.Level
  ) throws {
    let lab = try GatewayFixture()
    lab.fail(kind) { ($0.closeCode, $0.delayMilliseconds) = (.init(rawValue: close), 20) }
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    #expect(replicator.status.level == .idle)
    try replicator.run(milliseconds: 10_000)
    #expect(replicator.status.level == level && replicator.status.error?.sdkCode == code)
  }

  @Test func anAgreedCloseIsNoError() throws {
    let lab = try GatewayFixture()
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    #expect(lab.gateway.waitForReplications(1))
    lab.gateway.closeReplications(.normal)
    try replicator.run(milliseconds: 10_000)
    #expect(replicator.status == .init(level: .stopped))
  }

  @Test(arguments: AnswerTests.faults) func eachFaultHasItsLevel(kind: Fault.Kind, code: Int, message: String) throws {
    let lab = try GatewayFixture()
    lab.fail(kind)
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    let error = try #require(replicator.status.error)
    #expect(error.sdkCode == code)
    #expect(replicator.status.level == (error.disposition == .permanent ? .stopped : .offline))
    #expect((replicator.status.retryAt != nil) == (error.disposition == .transient))
  }

  @Test func theHeartbeatIsAnsweredOrMissed() throws {
    let lab = try GatewayFixture()
    let session = try lab.signIn()
    let alive = try replicator(lab, session)
    try alive.start()
    lab.lab.clock.advance(by: 299)
    try alive.run()
    lab.lab.clock.advance(by: 1)
    try alive.run(milliseconds: 300)
    #expect(alive.pongs == 1 && alive.status.level == .idle)
    lab.fail(.silentSocket)
    let hung = try replicator(lab, session)
    try hung.start()
    lab.lab.clock.advance(by: 300)
    try hung.run(milliseconds: 50)
    #expect(hung.status.level == .idle)
    lab.lab.clock.advance(by: 10)
    try hung.run()
    #expect(hung.status.level == .offline && hung.status.error?.sdkCode == 5_003)
  }

  @Test func aNetworkThatIsGoneIsWaitedForByContinuousOnesOnly() throws {
    let lab = try GatewayFixture()
    let session = try lab.signIn()
    let nowhere = try #require(ReplicationEndpoint(gateway: "ws://nowhere.invalid", database: "mfs"))
    let waiting = try replicator(lab, session) { $0.endpoint = nowhere }
    try waiting.start()
    #expect(waiting.status.level == .offline && waiting.status.retryAt == nil && waiting.status.error?.sdkCode == 5_002)
    lab.lab.clock.advance(by: 100_000)
    try waiting.run()
    #expect(waiting.connections == 1)
    try waiting.networkChanged()
    #expect(waiting.connections == 2)
    let once = try replicator(lab, session) { ($0.endpoint, $0.isContinuous) = (nowhere, false) }
    try once.start()
    #expect(once.status.level == .stopped)
  }

  @Test func aGatewayThatIsDownIsTriedAgain() throws {
    let lab = try GatewayFixture()
    let dead = try #require(ReplicationEndpoint(gateway: "ws://127.0.0.1:\(DeadPort.shared.port)", database: "mfs"))
    let replicator = try replicator(lab, "x") { $0.endpoint = dead }
    try replicator.start()
    #expect(replicator.status.level == .offline && replicator.status.error?.sdkCode == 5_019)
  }

  @Test func basicAndBearerAreSentAsHeaders() throws {
    let lab = try GatewayFixture()
    let password = try secret("correct horse"), token = try secret("e30.e30.e30")
    let basic = try replicator(lab, "") { $0.credential = .basic(name: "alice", password: password) }
    try basic.start()
    #expect(basic.status.level == .idle)
    // Without a provider the gateway ignores a bearer token.
    let bearer = try replicator(lab, "") { $0.credential = .bearer(token) }
    try bearer.start()
    #expect(bearer.status.error?.message == "Invalid login")
    let nobody = try replicator(lab, "") { $0.credential = .none }
    try nobody.start()
    #expect(nobody.status.error?.message == "Login required")
  }

  /// A credential is no part of what a checkpoint belongs to; the remote URL, the collection and the local database are.
  @Test func aCheckpointSurvivesAnotherCredential() throws {
    let lab = try GatewayFixture()
    let database = LocalDatabase(), collections = ["field.workorders", "field.users"]
    let first = try replicator(lab, try lab.signIn(), database: database) { $0.collections = collections }
    #expect(!first.replicated("field.users", through: 3), "it is not connected")
    try first.start()
    #expect(first.since == ["field.workorders": 0, "field.users": 0])
    #expect(first.replicated("field.workorders", through: 42) && first.replicated("field.users", through: 7))
    #expect(!first.replicated("field.photos", through: 1), "none of its own")
    first.stop()
    let password = try secret("correct horse")
    let second = try replicator(lab, "", database: database) {
      ($0.collections, $0.credential) = (collections, .basic(name: "alice", password: password))
    }
    try second.start()
    #expect(second.since == ["field.workorders": 42, "field.users": 7])
    second.stop()
    let more = try replicator(lab, try lab.signIn(), database: database) { $0.collections = ["field.users", "a.b"] }
    try more.start()
    #expect(more.since == ["field.users": 7, "a.b": 0], "what is new begins at the beginning")
    more.stop()
    try more.start(resetCheckpoint: true)
    #expect(more.since == ["field.users": 0, "a.b": 0])
    let endpoint = try lab.endpoint
    #expect(database.checkpoint(of: "field.workorders", with: endpoint) == 42, "not one of its own")
    let other = try replicator(lab, try lab.signIn()) { $0.collections = collections }
    try other.start()
    #expect(other.since["field.workorders"] == 0, "another local database")
    let elsewhere = try #require(ReplicationEndpoint(gateway: lab.lab.origin, database: "other"))
    #expect(database.checkpoint(of: "field.workorders", with: elsewhere) == 0, "another remote database")
  }

  @Test func aSessionThatEndsIsNoticedAtTheNextConnectionOnly() throws {
    let lab = try GatewayFixture()
    let replicator = try replicator(lab, try lab.signIn())
    try replicator.start()
    lab.gateway.expireSessions()
    try replicator.run(milliseconds: 50)
    #expect(replicator.status.level == .idle)
    #expect(lab.gateway.waitForReplications(1))
    lab.gateway.closeReplications(.init(rawValue: 4_001))
    try replicator.run(milliseconds: 10_000)
    lab.lab.clock.advance(by: 2)
    try replicator.run()
    #expect(replicator.status.level == .stopped && replicator.status.error?.sdkCode == 10_401)
    #expect(replicator.status.error?.message == "Session Invalid")
  }
}
