import Basics
import Testing

@testable import Session

/// The line that `session watch` writes over and over on a terminal, beside which the cursor has a column of its own.
@Suite struct LiveLineTests {
  private static let now = Fixture.now

  private func status(
    _ state: SessionStatus.State = .signedIn, who: String? = "alice", session: Int64? = 86_399, token: Int64? = 3_599
  ) -> SessionStatus {
    SessionStatus(
      state: state, strategy: "oidc_code", identifier: who, employeeId: nil,
      sessionExpiresAt: session.map { Self.now.advanced(by: $0) },
      idTokenExpiresAt: token.map { Self.now.advanced(by: $0) }, refreshAt: nil, reason: nil)
  }

  private func line(_ status: SessionStatus, refresh: Int64? = 3_299, columns: Int = 79) -> String {
    status.liveLine(refreshIn: refresh, at: Self.now, columns: columns)
  }

  @Test func aWideTerminalHasRoomForAll() {
    #expect(
      line(status(), columns: 119)
        == "signed in as alice | session in 23 h 59 min | ID token in 59 min 59 s | refresh in 54 min 59 s")
    #expect(line(status(token: nil)) == "signed in as alice | session in 23 h 59 min | refresh in 54 min 59 s")
  }

  @Test func theTimesAreWholeAt80Columns() {
    #expect(line(status()) == "alice | session 23 h 59 min | ID token 59 min 59 s | refresh 54 min 59 s")
    #expect(
      line(status(who: "alice.appleseed@example.com"))
        == "alice.apple\u{2026} | session 23 h 59 min | ID token 59 min 59 s | refresh 54 min 59 s")
    #expect(
      line(status(who: nil), columns: 80)
        == "signed in | session 23 h 59 min | ID token 59 min 59 s | refresh 54 min 59 s")
    #expect(
      line(status(.offline, session: -59))
        == "no session | session 59 s ago | ID token 59 min 59 s | refresh 54 min 59 s")
  }

  /// Whatever the three clocks and the name are, nothing is longer than the terminal, and the last of the times is whole.
  @Test func nothingIsCutThatMatters() {
    let lengths: [Int64] = [-86_399, -1, 0, 1, 59, 3_599, 86_399, 8_639_999]
    for who in [nil, "a", "alice", String(repeating: "x", count: 64)] {
      for session in lengths {
        for token in lengths {
          let text = line(status(who: who, session: session, token: token), refresh: 86_399)
          #expect(text.count <= 79 && text.hasSuffix("23 h 59 min"), "\(text)")
        }
      }
    }
    #expect(line(status(), columns: 20).count == 20 && line(status(), columns: -1).isEmpty)
  }
}
