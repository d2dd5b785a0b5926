import Foundation
import TestSupport
import Testing

/// `session watch` on a vault in the keyring, which is asked every second.
@Suite struct WatchedKeyringTests {
  @Test func whatOtherProcessesDoIsSeen() throws {
    let session = try KeyringSession()
    let result = try session.run(
      """
      echo 'EXPO_PUBLIC_AUTH_STRATEGY=demo' >.env
      mfsctl --quiet vault init --backend secret-service >/dev/null
      mfsctl --quiet session login --identifier ana >/dev/null
      mfsctl session watch --on-credential 'touch "$MFSCTL_REASON"' >events 2>/dev/null & watch=$!
      until [ -e found ]; do sleep 0.05; done
      mfsctl --quiet session login --identifier bob >/dev/null
      until [ -e signed-in-elsewhere ]; do sleep 0.05; done
      started=$(date +%s%3N)
      mfsctl session logout >/dev/null
      ended=$(date +%s%3N)
      expect 61 wait $watch
      echo $((ended - started)) $(($(date +%s%3N) - ended)) >took
      cat events
      """, environment: Programs.environment(in: session.sandbox))
    let events = result.text.split(separator: "\n").map { $0.dropFirst("2026-09-04T12:00:00Z  ".count) }
    #expect(
      events == ["new credential (found)", "new credential (signed-in-elsewhere)", "signed out"],
      "\(result.text)\(result.errorText)")
    let took = try String(contentsOfFile: session.sandbox("took"), encoding: .utf8).split { " \n".contains($0) }
      .compactMap { Int($0) }
    try #require(took.count == 2)
    // To read the vault takes the watch as long as it takes a command, on a machine that is busy too.
    #expect(took[1] < 1_000 + took[0], "the sign-out took \(took[0]) ms, and was seen \(took[1]) ms later")
  }
}
