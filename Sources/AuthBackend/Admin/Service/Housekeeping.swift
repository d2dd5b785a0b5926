internal import BackendKeys
internal import BackendStore
internal import Basics

/// What is due every minute, the keys, and every hour, what is over; on a thread of its own.
final class Housekeeping: Sendable {
  private let isStopping = Monitor(false)
  private let thread = Monitor<Thread?>(nil)
  private let tasks: [(seconds: Int64, run: @Sendable () -> Void)]

  init(_ tasks: [(seconds: Int64, run: @Sendable () -> Void)]) throws(Failure) {
    self.tasks = tasks
    let thread = try Thread { [self] in work() }
    self.thread.withLock { $0 = thread }
  }

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
    var due = tasks.map { start.advanced(bySeconds: Double($0.seconds)) }
    while let next = due.min() {
      if isStopping.wait(until: next, { $0 ? true : nil }) != nil { return }
      let now = MonotonicInstant.now()
      for (index, task) in tasks.enumerated() where due[index] <= now {
        task.run()
        due[index] = now.advanced(bySeconds: Double(task.seconds))
      }
    }
  }
}
