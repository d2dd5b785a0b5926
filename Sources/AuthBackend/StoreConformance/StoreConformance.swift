public import BackendStore
public import Basics

/// What every ``AuthStore`` promises, as checks that can be run against one: a store's author gives two functions, runs the suite,
/// and reads the violations. It needs no test framework.
///
/// ```swift
/// let suite = StoreConformance(
///   reset: { () throws(Failure) in try MyStore.empty(place) },
///   open: { () throws(Failure) in try MyStore(place) })
/// for violation in suite.run() { print(violation) }
/// ```
///
/// Each check starts with an empty store. Nothing that the store held before is kept, so never point it at one in use.
public struct StoreConformance {
  /// Makes the store empty, whatever was there before; nothing that `open` gave is in use then.
  public typealias Reset = () throws(Failure) -> Void
  /// Opens the store that the last reset made. Every call gives an instance of its own, as another process would have.
  public typealias Open = @Sendable () throws(Failure) -> any AuthStore

  private let reset: Reset
  private let open: Open
  private let rounds: Int

  /// A suite for the store that these two functions make. Each race is run `rounds` times.
  public init(rounds: Int = 3, reset: @escaping Reset, open: @escaping Open) {
    self.rounds = max(1, rounds)
    self.reset = reset
    self.open = open
  }

  /// Runs the named checks (all of them when `names` is nil) and returns what was violated; empty is a pass.
  /// `progress` is told the name of each check before it begins.
  public func run(
    only names: Set<String>? = nil, progress: (String) -> Void = { _ in }
  ) -> [Violation] {
    var violations: [Violation] = []
    for check in Check.all where names?.contains(check.name) ?? true {
      progress(check.name)
      for _ in 0..<(check.isRace ? rounds : 1) {
        var found: [Violation] = []
        do throws(Failure) {
          try reset()
          let probe = Probe(check: check.name, store: try open(), open: open)
          do throws(Failure) { try check.body(probe) } catch { probe.report("threw \(error.code.name): \(error)") }
          found = probe.violations
        } catch {
          found = [Violation(check: check.name, detail: "cannot be opened: \(error.code.name): \(error)")]
        }
        violations += found
        if !found.isEmpty { break }
      }
    }
    return violations
  }

  /// The checks by name, with what each one asks.
  public static var checks: [(name: String, summary: String)] { Check.all.map { ($0.name, $0.summary) } }
}
