import BackendStoreConformance
import Foundation
import Testing

@Suite struct ConformanceTests {
  /// How often each race is run; RACE_ROUNDS asks for more.
  private let rounds = Int(ProcessInfo.processInfo.environment["RACE_ROUNDS"] ?? "") ?? 3

  @Test("The SQLite store keeps every promise of the protocol", arguments: StoreConformance.checks.map(\.name))
  func everyPromiseIsKept(check: String) throws {
    #expect(try Place().suite(rounds: rounds).run(only: [check]).map(\.description) == [])
  }

  @Test func checksHaveNamesOfTheirOwn() {
    let names = StoreConformance.checks.map(\.name)
    #expect(Set(names).count == names.count && names.count > 50)
  }
}
