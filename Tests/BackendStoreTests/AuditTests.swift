import BackendStore
import Basics
import Testing

@Suite struct AuditTests {
  private func filled() throws -> Place {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    for number in 1...6 {
      _ = try store.audit("event", [("n", String(number))], at: Timestamp(seconds: Int64(number)))
    }
    return place
  }

  @Test(
    "The database itself refuses to change, remove or insert records",
    arguments: [
      "UPDATE audit SET event = 'x' WHERE number = 3", "DELETE FROM audit WHERE number = 6", "DELETE FROM audit",
      "INSERT INTO audit VALUES (9, 1, 'e', '[]', x'00')",
      "INSERT OR REPLACE INTO audit VALUES (3, 1, 'e', '[]', x'00')",
    ])
  func recordsCannotBeTouched(sql: String) throws {
    let place = try filled()
    #expect(throws: Failure.self) { try place.run(sql) }
    #expect(try place.open().verifyAudit().good == 6)
  }

  @Test(
    "Who gets around that is found out, at the first record that is not what was written",
    arguments: [
      ("UPDATE audit SET event = 'x' WHERE number = 3", 3), ("UPDATE audit SET at = at + 1 WHERE number = 1", 1),
      ("UPDATE audit SET fields = '[[\"n\",\"7\"]]' WHERE number = 6", 6),
      ("UPDATE audit SET digest = zeroblob(32) WHERE number = 5", 5), ("DELETE FROM audit WHERE number = 2", 2),
      ("DELETE FROM audit WHERE number = 1", 1),
      (
        "UPDATE audit SET number = -number WHERE number IN (3, 4); UPDATE audit SET number = 7 + number WHERE number < 0",
        3
      ),
    ])
  func tamperingIsFound(sql: String, broken: Int64) throws {
    let place = try filled()
    try place.run("DROP TRIGGER audit_is_kept; DROP TRIGGER audit_is_final; DROP TRIGGER audit_is_appended; \(sql)")
    let verdict = try place.open().verifyAudit()
    #expect(verdict.firstBroken == broken && verdict.good == broken - 1)
  }

  @Test("A head that was noted elsewhere shows that records were cut off")
  func aNotedHeadShowsWhatIsMissing() throws {
    let place = try filled()
    let noted = try place.open().verifyAudit().head
    try place.run("DROP TRIGGER audit_is_kept; DELETE FROM audit WHERE number > 4")
    let verdict = try place.open().verifyAudit()
    #expect(verdict.firstBroken == nil && verdict.good == 4)
    #expect(verdict.head != noted && noted.count == 32)
  }
}
