public import Basics
public import Vault

/// What every ``VaultBackend`` promises, as checks that can be run against one: a backend's author gives two functions,
/// runs the suite, and reads the violations. It needs no test framework.
///
/// ```swift
/// let suite = VaultConformance(
///   reset: { () throws(Failure) in try MyVault.destroy(profile); try MyVault.initialise(profile) },
///   open: { () throws(Failure) in try MyVault.open(profile) })
/// for violation in suite.run() { print(violation) }
/// ```
///
/// Each check starts with an empty vault. Nothing of the vault that `reset` made is kept, so never point it at one in use.
public struct VaultConformance {
  /// Makes the vault empty and initialised, whatever was there before.
  public typealias Reset = () throws(Failure) -> Void
  /// Opens the vault that the last reset made. Every call gives an instance of its own, as another process would have.
  public typealias Open = () throws(Failure) -> any VaultBackend

  private let reset: Reset
  private let open: Open

  /// A suite for the backend that these two functions make.
  public init(reset: @escaping Reset, open: @escaping Open) {
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
      let probe = Probe(check: check.name, open: open)
      do throws(Failure) {
        try reset()
        try check.body(probe)
      } catch {
        probe.report("threw \(error.code.name): \(error)")
      }
      violations += probe.violations
    }
    return violations
  }

  /// The checks by name, with what each one asks.
  public static var checks: [(name: String, summary: String)] { Check.all.map { ($0.name, $0.summary) } }
}
