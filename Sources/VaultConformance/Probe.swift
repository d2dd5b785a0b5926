internal import Basics
internal import SecureMemory
internal import Vault

/// What a check works with: ways to open the vault, to make values, and to say what it expects.
final class Probe {
  let check: String
  private let openVault: VaultConformance.Open
  private(set) var violations: [Violation] = []

  init(check: String, open: @escaping VaultConformance.Open) {
    self.check = check
    self.openVault = open
  }

  func open() throws(Failure) -> any VaultBackend { try openVault() }

  func report(_ detail: String) { violations.append(Violation(check: check, detail: detail)) }

  func expect(_ condition: Bool, _ detail: @autoclosure () -> String) {
    if !condition { report(detail()) }
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

  /// Expects an entry with these bytes.
  func expectValue(_ name: KeyName, _ bytes: [UInt8], in contents: VaultContents, _ when: String) throws(Failure) {
    guard let entry = contents[name] else { return report("\(name) is missing \(when)") }
    let same = try entry.value.equals(Probe.value(bytes))
    expect(same, "\(name) has other bytes \(when): \(entry.value.count) of them, \(bytes.count) were set")
  }

  func expectNames(_ names: [KeyName], in contents: VaultContents, _ when: String) {
    let seen = contents.names.map(\.text), wanted = names.sorted().map(\.text)
    expect(seen == wanted, "the names \(when) are \(seen) instead of \(wanted)")
  }

  /// A secret of these bytes; all values of the suite are made up, so plain arrays do no harm.
  static func value(_ bytes: [UInt8]) throws(Failure) -> SecureBytes {
    let value = try SecureBytes(count: bytes.count)
    unsafe value.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
    return value
  }
}

extension VaultContents {
  /// Sets a value of the suite.
  func set(_ name: KeyName, bytes: [UInt8], at time: Timestamp = .now()) throws(Failure) {
    set(name, try Probe.value(bytes), at: time)
  }
}
