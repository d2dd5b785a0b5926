import BackendStore
import Basics
import CSQLite
import Glibc
import Testing

@Suite struct CheckpointTests {
  @Test("No commit waits for a reader that stays, as a backup does, however long the log is")
  func aLongReader() throws {
    let place = try Place()
    try place.reset()
    let store = try place.open()
    var reader: OpaquePointer?
    defer { sqlite3_close_v2(reader) }
    try #require(sqlite3_open(place.path, &reader) == SQLITE_OK)
    try #require(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM audit", nil, nil, nil) == SQLITE_OK)
    // Some 130 pages each, so more than the four times 4,000 pages at which the log is a long one.
    let text = String(repeating: "x", count: 512 * 1_024)
    func commit() throws -> Double {
      let start = MonotonicInstant.now()
      _ = try store.audit("event", [("text", text)], at: Timestamp(seconds: 0))
      return Double(MonotonicInstant.now().nanoseconds - start.nanoseconds) / 1e9
    }
    var longest = 0.0
    for _ in 0..<150 { longest = max(longest, try commit()) }
    #expect(try size(place) > 4 * 4_000 * 4_096)
    #expect(longest < 3)
    try #require(sqlite3_exec(reader, "COMMIT", nil, nil, nil) == SQLITE_OK)
    // In a few commits the rest is written back and the log begun anew: SQLite cuts it to 64 MiB then.
    for _ in 0..<10 { _ = try commit() }
    #expect(try size(place) <= 64 << 20)
  }

  private func size(_ place: Place) throws -> Int64 {
    var status = stat()
    try #require(stat(place.path + "-wal", &status) == 0)
    return Int64(status.st_size)
  }
}
