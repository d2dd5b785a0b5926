internal import BackendStore
internal import Basics

/// What a check works with: the store, things to put into it, and ways to say what it expects.
final class Probe: Sendable {
  let check: String
  /// The store that most of a check is done with.
  let store: any AuthStore
  private let openStore: StoreConformance.Open
  private let seen = Monitor<[Violation]>([])

  init(check: String, store: any AuthStore, open: @escaping StoreConformance.Open) {
    self.check = check
    self.store = store
    self.openStore = open
  }

  var violations: [Violation] { seen.withLock { $0 } }

  /// Another instance, as another process would have.
  func another() throws(Failure) -> any AuthStore { try openStore() }

  func report(_ detail: String) { seen.withLock { $0.append(Violation(check: check, detail: detail)) } }

  func expect(_ condition: Bool, _ detail: @autoclosure () -> String) {
    if !condition { report(detail()) }
  }

  func expectEqual<T: Equatable>(_ found: T, _ expected: T, _ what: String) {
    if found != expected { report("\(what): \(found) instead of \(expected)") }
  }

  /// Expects that `body` fails with one kind of failure.
  func expectFailure(_ code: FailureCode, _ doing: String, _ body: () throws(Failure) -> Void) {
    do throws(Failure) {
      try body()
      report("\(doing) did not fail; \(code.name) was expected")
    } catch {
      expect(error.code == code, "\(doing) failed with \(error.code.name) instead of \(code.name): \(error)")
    }
  }

  /// Runs `body` on so many threads, all let go at once, and returns what each one made of it.
  func together<T: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    let state = Monitor(Together<T>())
    for index in 0..<count {
      let worker = try Thread {
        state.withLock { $0.ready += 1 }
        state.wait { $0.ready >= count ? () : nil }
        do throws(Failure) {
          let result = try body(index)
          state.withLock { $0.results[index] = result }
        } catch { state.withLock { $0.failures.append(error) } }
        state.withLock { $0.finished += 1 }
      }
      worker.detach()
    }
    let end = state.wait { $0.finished == count ? $0 : nil }
    if let failure = end.failures.first { throw failure }
    return (0..<count).compactMap { end.results[$0] }
  }
}

/// What threads that work together share.
private struct Together<T: Sendable>: Sendable {
  var ready = 0
  var results: [Int: T] = [:]
  var failures: [Failure] = []
  var finished = 0
}
