import Foundation
import TestSupport
import Testing

/// What strangers can have a server remember.
@Suite struct MemoryTests {
  struct Kind: Decodable {
    /// How the resident memory grew, and what was sent meanwhile, in KiB.
    let grown: Int
    let sent: Int
    let statuses: [String: Int]
  }

  @Test("TK-14 memory does not grow with large bodies and made-up names")
  func refusedRequestsLeaveNothing() throws {
    // No limit stands before what is tried.
    let daemon = try Daemon(["MFS_AUTHD_LOG_REQUESTS: false"])
    let result = try run(["/usr/bin/python3", Daemon.peer("memory.py")], in: daemon.sandbox, seconds: 600)
    try #require(result.status == 0, "\(result.errorText)")
    let kinds = try JSONDecoder().decode([String: Kind].self, from: result.output)
    #expect(kinds.count == 9)
    for (name, kind) in kinds {
      #expect(kind.statuses.keys.allSatisfy { ["400", "401", "413"].contains($0) }, "\(name): \(kind)")
      // As much as half of what any long names were would show.
      #expect(kind.grown < 1_536, "\(name): \(kind)")
    }
    #expect(kinds.values.count { $0.sent > 2_900 } == 4)
    #expect(kinds.values.map(\.grown).reduce(0, +) < 4_096, "\(kinds)")
  }
}
