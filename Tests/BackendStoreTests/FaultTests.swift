import BackendStoreConformance
import Testing

@Suite struct FaultTests {
  @Test("A store that breaks a promise is found out", arguments: Fault.all)
  func everyBrokenPromiseIsFound(fault: Fault) throws {
    let found = Set(try Place().suite(fault: fault.sql, rounds: 1).run(only: Set(fault.seenBy)).map(\.check))
    #expect(Set(fault.seenBy).subtracting(found) == [])
  }

  /// Each check is there because some fault must not get past it.
  @Test func everyCheckCanFail() {
    let failed = Set(Fault.all.flatMap(\.seenBy))
    #expect(Set(StoreConformance.checks.map(\.name)).subtracting(failed) == [])
    #expect(failed.subtracting(StoreConformance.checks.map(\.name)) == [])
  }
}
