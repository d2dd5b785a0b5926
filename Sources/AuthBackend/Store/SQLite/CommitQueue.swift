internal import Basics
internal import Glibc

/// Group commit: one thread writes, and what waited while it synced the disk is the next transaction. There is no timer, so who
/// comes alone waits for nobody: while the thread has nothing to do, a caller commits its step itself and is spared two changes of
/// threads. The thread asks for short turns of a processor: everybody waits for it, and when the disk is done it must not wait for the
/// turn of one of those to be over, who then have nothing to do.
///
/// A step looks first and writes after, so one that throws without having written leaves nothing behind and the others of its
/// transaction go on. One that throws halfway takes the transaction back, and then each step of it runs again in one of its own:
/// that is rare, and costs nothing while it does not happen, as a savepoint around each step would.
final class CommitQueue: @unchecked Sendable {
  private struct State {
    var jobs: [Job] = []
    /// Whether somebody, the thread or a caller, is using the connection.
    var isBusy = false
    /// Whether the log is to be written back, which takes long.
    var isLogLong = false
    var isClosed = false

    enum Turn {
      case alone, queued, closed
    }

    // Whoever uses the connection looks for more when he is done, so that nobody needs to be woken for a job before.
    mutating func take(_ job: Job, mayCommit: Bool = true) -> (result: Turn, wake: Monitor<State>.Wake) {
      if isClosed { return (.closed, .nobody) }
      if isBusy || !jobs.isEmpty || !mayCommit {
        jobs.append(job)
        return (.queued, isBusy ? .nobody : .one)
      }
      isBusy = true
      return (.alone, .nobody)
    }

    /// The next transaction's steps; nil when there are none.
    mutating func batch(limit: Int) -> [Job]? {
      guard !isBusy, !jobs.isEmpty else { return nil }
      isBusy = true
      defer { jobs.removeFirst(min(limit, jobs.count)) }
      return Array(jobs.prefix(limit))
    }
  }

  private let state = Monitor(State())
  private let database: Database
  private let checkpointer: Checkpointer
  private let limit: Int
  private var thread: Thread?

  /// Writes by `database`, which belongs to the queue from now on, at most `limit` steps in one transaction.
  init(_ database: Database, checkpointer: Checkpointer, limit: Int) throws(Failure) {
    self.database = database
    self.checkpointer = checkpointer
    self.limit = limit
    do throws(Failure) { thread = try Thread { [self] in work() } } catch {
      checkpointer.close()
      throw error
    }
  }

  /// Does what waits, and ends the thread. To be called once.
  func close() {
    state.withLock { $0.isClosed = true }
    thread?.join()
    thread = nil
    checkpointer.close()
  }

  /// Runs a step and returns once it is durable. The step may run twice; only what it did last counts.
  @discardableResult
  func perform<R>(_ step: @escaping (Database) throws(Failure) -> R) throws(Failure) -> R {
    let job = Step(step)
    let done = Semaphore()
    job.whenDone = { done.post() }
    switch state.update({ $0.take(job) }) {
    case .closed: throw CommitQueue.closed
    case .queued: done.wait()
    case .alone: commitAlone(job)
    }
    return try job.outcome.get()
  }

  /// The same without waiting for others: `whenDone` is called once the step is durable or has failed, by the thread that writes,
  /// which it must not hold up. With `mayCommit` the caller commits the step itself while nobody else writes, no other process either, and
  /// `whenDone` is called before this returns.
  func perform<R>(
    mayCommit: Bool, _ step: @escaping (Database) throws(Failure) -> R,
    whenDone: @escaping (Result<R, Failure>) -> Void
  ) {
    let job = Step(step)
    job.whenDone = { [unowned job] in whenDone(job.outcome) }
    switch state.update({ $0.take(job, mayCommit: mayCommit && !$0.isLogLong) }) {
    case .closed: whenDone(.failure(CommitQueue.closed))
    case .queued: break
    case .alone: if commitAtOnce(job) { job.whenDone() }
    }
  }

  private static let closed = Failure(.inputOutput, "the store is closed")

  private func commitAlone(_ job: Job) {
    commit([job])
    checkpointer.committed(database)
    release(isLogLong: checkpointer.isDue(database))
  }

  // False, and the step is the thread's, when another process writes. The thread also writes the log back: what the caller finds of that
  // to do is done with the next step.
  private func commitAtOnce(_ job: Job) -> Bool {
    let isDone = commit([job], mayWait: false)
    release(isLogLong: checkpointer.isDue(database), handing: isDone ? nil : job)
    return isDone
  }

  private func release(isLogLong: Bool, handing job: Job? = nil) {
    state.update { state in
      state.isBusy = false
      state.isLogLong = isLogLong
      if let job { state.jobs.insert(job, at: 0) }
      return ((), state.jobs.isEmpty && !state.isClosed ? .nobody : .one)
    }
  }

  private func work() {
    Basics.Thread.takeShortTurns()
    while let batch = next() {
      commit(batch)
      for job in batch { job.whenDone() }
      checkpointer.committed(database)
      let isLogLong = checkpointer.isDue(database)
      state.withLock(wake: .nobody) { state in
        state.isBusy = false
        state.isLogLong = isLogLong
      }
    }
  }

  /// Waits for steps; nil when the queue is closed and empty.
  private func next() -> [Job]? {
    state.wait { state -> [Job]?? in
      if let batch = state.batch(limit: limit) { return .some(batch) }
      return state.isClosed && !state.isBusy ? .some(nil) : nil
    }
  }

  // False, and nothing was done, where it may not wait and another process writes. What fails because the log has no room to grow is done
  // once more when the log could be written back, and so has what it had taken to write on.
  @discardableResult
  private func commit(_ batch: [Job], mayWait: Bool = true, isLast: Bool = false) -> Bool {
    do throws(Failure) {
      if mayWait { try database.begin() } else if try !database.beginNow() { return false }
      for job in batch {
        let before = database.totalChanges
        job.run(database)
        guard job.failure != nil, database.totalChanges != before || !database.isInTransaction else { continue }
        let isFull = database.lacksRoom
        database.rollBack()
        if isFull, !isLast, checkpointer.makesRoom(database) { return commit(batch, mayWait: mayWait, isLast: true) }
        if batch.count > 1 { for job in batch { commit([job], isLast: isFull) } }
        return true
      }
      try database.commit()
    } catch {
      let isFull = database.lacksRoom
      database.rollBack()
      if isFull, !isLast, checkpointer.makesRoom(database) { return commit(batch, mayWait: mayWait, isLast: true) }
      for job in batch { job.failure = error }
    }
    return true
  }
}

/// A step that waits for its turn.
private class Job {
  /// Called once, after the step is durable or has failed.
  var whenDone: () -> Void = {}
  var failure: Failure?
  func run(_ database: Database) {}
}

private final class Step<R>: Job {
  private let body: (Database) throws(Failure) -> R
  private(set) var result: R?

  init(_ body: @escaping (Database) throws(Failure) -> R) { self.body = body }

  var outcome: Result<R, Failure> {
    if let failure { return .failure(failure) }
    return result.map { .success($0) } ?? .failure(Failure(.bug, "a step of the store has no result"))
  }

  override func run(_ database: Database) {
    failure = nil
    do throws(Failure) { result = try body(database) } catch { failure = error }
  }
}

/// One caller waits, once: the cheapest way to be woken that there is.
@safe private final class Semaphore {
  private let handle: UnsafeMutablePointer<sem_t>

  init() {
    unsafe handle = .allocate(capacity: 1)
    unsafe sem_init(handle, 0, 0)
  }

  deinit {
    unsafe sem_destroy(handle)
    unsafe handle.deallocate()
  }

  func post() { unsafe sem_post(handle) }
  func wait() { while unsafe sem_wait(handle) != 0 {} }
}

extension Database {
  private static let beginQuery = Query("BEGIN IMMEDIATE")
  private static let commitQuery = Query("COMMIT")
  private static let rollBackQuery = Query("ROLLBACK")

  /// Begins a transaction that may write, waiting for other processes.
  func begin() throws(Failure) {
    // Left open only when taking one back failed.
    if isInTransaction { try run(Database.rollBackQuery) }
    try run(Database.beginQuery)
  }

  /// The same without waiting; false when another process writes.
  func beginNow() throws(Failure) -> Bool {
    waitForOthers(false)
    defer { waitForOthers(true) }
    do throws(Failure) { try begin() } catch {
      guard error.code == .lockTimeout else { throw error }
      return false
    }
    return true
  }

  func commit() throws(Failure) { try run(Database.commitQuery) }

  func rollBack() { if isInTransaction { _ = try? run(Database.rollBackQuery) } }
}
