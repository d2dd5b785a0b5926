internal import BackendKeys
internal import BackendStore
internal import Basics

/// What is due every minute, the keys, and every hour, what is over; on a thread of its own.
final class Housekeeping: Sendable {
  /// Something that is done again and again.
  struct Task: Sendable {
    /// How many seconds after the start it is done first.
    let first: Int64
    /// How many seconds after it was done it is done again.
    let seconds: Int64
    /// Does it; what takes long asks whether to leave the rest for another time.
    let run: @Sendable (_ isStopping: () -> Bool) -> Void
  }

  private let isStopping = Monitor(false)
  private let thread = Monitor<Thread?>(nil)
  let tasks: [Task]

  init(_ tasks: [Task]) throws(Failure) {
    self.tasks = tasks
    let thread = try Thread { [self] in work() }
    self.thread.withLock { $0 = thread }
  }

  /// Waits for the step that is being done, and no longer. To be called once.
  func stop() {
    isStopping.withLock { $0 = true }
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  private func work() {
    let start = MonotonicInstant.now()
    var due = tasks.map { start.advanced(bySeconds: Double($0.first)) }
    while let next = due.min() {
      if isStopping.wait(until: next, { $0 ? true : nil }) != nil { return }
      let now = MonotonicInstant.now()
      for (index, task) in tasks.enumerated() where due[index] <= now {
        task.run { isStopping.withLock(wake: .nobody) { $0 } }
        due[index] = now.advanced(bySeconds: Double(task.seconds))
      }
    }
  }
}
