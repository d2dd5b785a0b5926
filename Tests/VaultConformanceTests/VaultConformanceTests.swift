import Basics
import Testing
import Vault
import VaultConformance

@Suite struct VaultConformanceTests {
  private func run(_ fault: MemoryVault.Fault, only names: Set<String>? = nil) -> [Violation] {
    var store = MemoryVault.Store()
    let suite = VaultConformance(
      reset: { () throws(Failure) in store = MemoryVault.Store() },
      open: { () throws(Failure) in MemoryVault(store, fault) })
    return suite.run(only: names)
  }

  @Test func aVaultThatKeepsItsPromisesPasses() {
    #expect(run(.none).map(\.description) == [])
  }

  @Test(arguments: MemoryVault.Fault.allCases.filter { $0 != .none })
  func everyBrokenPromiseIsFound(fault: MemoryVault.Fault) {
    #expect(!run(fault).isEmpty, "\(fault) passed")
  }

  @Test func checksHaveNamesOfTheirOwnAndCanBeRunAlone() {
    let names = VaultConformance.checks.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(run(.forgetsTime, only: ["bytes"]).isEmpty)
    #expect(Set(run(.forgetsTime, only: ["updated-at"]).map(\.check)) == ["updated-at"])
  }

  /// Every check is there because some fault would get past the others' eyes unnoticed or named badly: each one must
  /// be able to fail.
  @Test func everyCheckCanFail() {
    var failed: Set<String> = []
    for fault in MemoryVault.Fault.allCases { failed.formUnion(run(fault).map(\.check)) }
    // A new store of this kind is always empty; only a reset that does not reset fails that check.
    let store = MemoryVault.Store()
    let suite = VaultConformance(
      reset: { () throws(Failure) in }, open: { () throws(Failure) in MemoryVault(store, .none) })
    _ = suite.run(only: ["bytes"])
    failed.formUnion(suite.run(only: ["empty"]).map(\.check))
    #expect(Set(VaultConformance.checks.map(\.name)).subtracting(failed).isEmpty)
  }

  @Test func aVaultThatCannotBeOpenedIsAViolationOfEachCheck() {
    let suite = VaultConformance(
      reset: { () throws(Failure) in },
      open: { () throws(Failure) in throw Failure(.vaultLocked, "locked", hint: "unlock it") })
    let violations = suite.run()
    #expect(violations.count == VaultConformance.checks.count)
    #expect(violations.allSatisfy { $0.detail.contains("vault.locked") })
  }
}
