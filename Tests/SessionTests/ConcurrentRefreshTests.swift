import Basics
import Foundation
import Session
import StrategyHost
import Synchronization
import Testing

/// A runner that is shared by threads: it counts, takes its time, and brings one session after the other.
private final class SlowStrategies: StrategyRunning, Sendable {
  let runs = Atomic<Int>(0)
  let running = Atomic<Int>(0)
  let overlaps = Atomic<Int>(0)
  let reason: StrategyFailure.Reason?

  init(failing reason: StrategyFailure.Reason? = nil) { self.reason = reason }

  func run(_ call: StrategyCall, services: any StrategyServices) throws(Failure) -> StrategyOutcome {
    let number = runs.add(1, ordering: .sequentiallyConsistent).newValue
    if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
      overlaps.add(1, ordering: .sequentiallyConsistent)
    }
    usleep(150_000)
    running.subtract(1, ordering: .sequentiallyConsistent)
    if let reason { return .failure(StrategyFailure(reason, "as the test says")) }
    return try cookie("session\(number)", until: Fixture.end, identifier: nil, password: nil)
  }
}

@Suite struct ConcurrentRefreshTests {
  /// Runs `body` in as many threads, each with a service of its own on the same vault and lock, and returns what came.
  static func inThreads(
    _ count: Int, _ fixture: Fixture, _ strategies: any StrategyRunning & Sendable,
    _ body: @escaping @Sendable (SessionService) throws -> SessionService.Report
  ) -> [String] {
    let results = Mutex<[String]>([])
    let group = DispatchGroup()
    let store = fixture.store, lock = fixture.lock
    for _ in 0..<count {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        var line: String
        do {
          let service = SessionService(
            configuration: try SessionConfiguration(settings: Fixture.basic), vault: MemoryVault(store),
            strategies: strategies, lock: lock, clock: { Fixture.now })
          let report = try body(service)
          line = "\(report.status.state.rawValue) \(report.failure?.code.exit.rawValue ?? 0)"
        } catch { line = "\(error)" }
        results.withLock { $0.append(line) }
      }
    }
    group.wait()
    return results.withLock { $0 }
  }

  @Test func manyThreadsRefreshOnce() throws {
    let fixture = Fixture()
    try fixture.signIn(until: Fixture.now.advanced(by: 10))
    let strategies = SlowStrategies()
    let results = ConcurrentRefreshTests.inThreads(12, fixture, strategies) { try $0.restore() }
    #expect(results == Array(repeating: "signedIn 0", count: 12))
    #expect(strategies.runs.load(ordering: .sequentiallyConsistent) == 1)
    #expect(fixture.store.text("auth.sessionId") == "session1")
  }

  @Test func oneRejectedSessionSeenByManyIsRefreshedOnce() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = SlowStrategies()
    let results = ConcurrentRefreshTests.inThreads(12, fixture, strategies) {
      try $0.replicatorFailed(ReplicatorCode(401))
    }
    #expect(results == Array(repeating: "signedIn 0", count: 12))
    #expect(strategies.runs.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func aRefusalIsAskedForOnceAndHeardByAll() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = SlowStrategies(failing: .badCredentials)
    let results = ConcurrentRefreshTests.inThreads(8, fixture, strategies) {
      try $0.replicatorFailed(ReplicatorCode(401))
    }
    #expect(results == Array(repeating: "signInNeeded 61", count: 8))
    #expect(strategies.runs.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func runsNeverOverlap() throws {
    let fixture = Fixture()
    try fixture.signIn()
    let strategies = SlowStrategies(failing: .network)
    let results = ConcurrentRefreshTests.inThreads(4, fixture, strategies) { try $0.refresh() }
    #expect(results == Array(repeating: "signedIn 62", count: 4))
    #expect(strategies.overlaps.load(ordering: .sequentiallyConsistent) == 0)
  }

  @Test func whoWaitsTooLongSaysSoAndChangesNothing() throws {
    let fixture = Fixture()
    try fixture.signIn()
    try FileManager.default.createDirectory(atPath: fixture.folder + "/session", withIntermediateDirectories: true)
    let file = open(fixture.lock.path, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(flock(file, LOCK_EX) == 0)
    var waited = 0
    let service = SessionService(
      configuration: try SessionConfiguration(settings: Fixture.basic), vault: MemoryVault(fixture.store),
      strategies: ScriptedStrategies.never(), lock: RefreshLock(path: fixture.lock.path, timeout: 2),
      clock: { Fixture.now }, onWait: { _ in waited += 1 })
    let failure = #expect(throws: Failure.self) { try service.refresh() }
    #expect(failure?.code == .lockTimeout)
    #expect(waited == 1)
    #expect(fixture.store.commits == 1)
  }

  /// What is in the place of the lock file or of its folder is an unsafe place, and is neither used nor changed.
  @Test func whatIsNoLockFileIsRefused() throws {
    let files = FileManager.default
    let places: [(Fixture) throws -> Void] = [
      { try files.createSymbolicLink(atPath: $0.lock.path, withDestinationPath: $0.folder + "/target") },
      { try files.createDirectory(atPath: $0.lock.path, withIntermediateDirectories: false) },
      { #expect(mkfifo($0.lock.path, 0o600) == 0) },
      { #expect(files.createFile(atPath: $0.lock.path, contents: nil) && chmod($0.lock.path, 0o666) == 0) },
      { #expect(chmod($0.folder + "/session", 0o777) == 0) },
      {
        try files.removeItem(atPath: $0.folder + "/session")
        #expect(files.createFile(atPath: $0.folder + "/session", contents: nil))
      },
      {
        try files.removeItem(atPath: $0.folder + "/session")
        try files.createSymbolicLink(atPath: $0.folder + "/session", withDestinationPath: $0.folder + "/target")
      },
    ]
    for (number, make) in places.enumerated() {
      let fixture = Fixture()
      try fixture.signIn()
      try files.createDirectory(atPath: fixture.folder + "/session", withIntermediateDirectories: true)
      try make(fixture)
      let failure = #expect(throws: Failure.self) { try fixture.service(ScriptedStrategies.never()).refresh() }
      #expect(failure?.code == .permissions, "place \(number): \(failure.map { "\($0)" } ?? "")")
      #expect(!files.fileExists(atPath: fixture.folder + "/target"))
    }
  }
}
