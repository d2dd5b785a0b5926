import BackendStoreConformance
import TestSupport
import Testing

private let names = StoreConformance.checks.map(\.name)
private let races = names.filter { $0.hasPrefix("race-") }

@Suite struct ConformanceTests {
  @Test("The SQLite store keeps every promise of the protocol", arguments: names.filter { !races.contains($0) })
  func everyPromiseIsKept(check: String) throws {
    #expect(try Place().suite().run(only: [check]).map(\.description) == [])
  }

  @Test func checksHaveNamesOfTheirOwn() {
    #expect(Set(names).count == names.count && names.count > 50 && races.count > 8)
  }
}

@Suite struct StoreRaceTests {
  @Test("The SQLite store keeps the promises of the protocol that races try", arguments: races)
  func everyRaceIsKept(check: String) throws {
    #expect(try Place().suite(rounds: raceRounds(3)).run(only: [check]).map(\.description) == [])
  }
}
