import Basics
import GatewayLab
import Replication
import Testing

/// The gateway sets the cookie anew when it extends a session, also on the 101; LiteCore keeps it in the local database, and its
/// own socket sends it before the authenticator's.
@Suite("A stale cookie outlives the sign-in") struct StaleCookieTests {
  let lab: GatewayFixture
  let database = LocalDatabase()
  init() throws { lab = try GatewayFixture() }

  private func start(
    _ session: String, order: ReplicatorDouble.CookieOrder, database: LocalDatabase? = nil
  ) throws -> ReplicatorDouble {
    var configuration = ReplicatorDouble.Configuration(
      try lab.endpoint, .session(try secret(session), cookieName: "SyncGatewaySession"))
    configuration.cookieOrder = order
    let clock = lab.lab.clock
    let replicator = ReplicatorDouble(configuration, database: database ?? self.database) { clock.now() }
    try replicator.start()
    return replicator
  }

  /// Alice replicates until her session is extended, and signs out.
  private func aliceWasHere(deleting: Bool) throws {
    let session = try lab.signIn()
    lab.lab.clock.advance(by: 10_000)
    let replicator = try start(session, order: .storedFirst)
    #expect(replicator.status.level == .idle && database.cookieNames == ["SyncGatewaySession"])
    replicator.stop()
    #expect(lab.gateway.waitForReplications(0))
    if deleting { lab.gateway.expireSessions() }
  }

  @Test func bobSyncsAsAliceWhileHerSessionLives() throws {
    try aliceWasHere(deleting: false)
    let bob = try lab.signIn(bob: true)
    let replicator = try start(bob, order: .storedFirst)
    #expect(replicator.status.level == .idle && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.map(\.user) == ["alice"])
  }

  @Test func bobsValidSessionGets401ForEverOnceHersIsDeleted() throws {
    try aliceWasHere(deleting: true)
    let bob = try lab.signIn(bob: true)
    for _ in 0..<3 {
      let replicator = try start(bob, order: .storedFirst)
      #expect(replicator.status.error?.sdkCode == 10_401 && replicator.status.level == .stopped)
    }
    // The cure: a local database of his own.
    let own = try start(bob, order: .storedFirst, database: LocalDatabase())
    #expect(own.status.level == .idle && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.map(\.user) == ["bob"])
  }

  @Test func theOtherOrderIsSafe() throws {
    try aliceWasHere(deleting: false)
    let replicator = try start(try lab.signIn(bob: true), order: .sessionFirst)
    #expect(replicator.status.level == .idle && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.map(\.user) == ["bob"])
  }

  @Test func aHeaderIsSafeToo() throws {
    try aliceWasHere(deleting: false)
    var configuration = ReplicatorDouble.Configuration(
      try lab.endpoint, .basic(name: "bob", password: try secret("battery staple")))
    configuration.cookieOrder = .storedFirst
    let clock = lab.lab.clock
    let replicator = ReplicatorDouble(configuration, database: database) { clock.now() }
    try replicator.start()
    #expect(replicator.status.level == .idle && lab.gateway.waitForReplications(1))
    #expect(lab.gateway.openReplications.map(\.user) == ["bob"])
  }

  @Test func aCookieThatHasEndedIsNotSent() throws {
    try aliceWasHere(deleting: true)
    lab.lab.clock.advance(by: 86_401)
    let replicator = try start(try lab.signIn(bob: true), order: .storedFirst)
    #expect(replicator.status.level == .idle)
  }
}
