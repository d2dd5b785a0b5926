import BackendStoreConformance
import Testing

@Suite struct ConformanceTests {
  @Test("The SQLite store keeps every promise of the protocol", arguments: StoreConformance.checks.map(\.name))
  func everyPromiseIsKept(check: String) throws {
    #expect(try Place().suite().run(only: [check]).map(\.description) == [])
  }

  @Test func checksHaveNamesOfTheirOwn() {
    let names = StoreConformance.checks.map(\.name)
    #expect(Set(names).count == names.count && names.count > 50)
  }
}
