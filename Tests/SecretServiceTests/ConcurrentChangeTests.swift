import Testing
import TestSupport

/// Several processes change one vault at once.
@Suite struct ConcurrentChangeTests {
  @Test func sixteenWritersLoseNothing() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      for n in $(seq 1 16); do PROBE_LOCK_MS=60000 secret-service-probe set auth.w$n $n & done
      wait
      secret-service-probe show
      """, seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "generation 17")
    for n in 1...16 { #expect(lines.contains { $0.hasPrefix("auth.w\(n) \(n) ") }) }
  }

  /// Each change sets both values to one size, so a reader that sees two sizes has seen half a change.
  @Test func readersNeverSeeHalfAChange() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      secret-service-probe pair 1
      (for n in $(seq 2 12); do secret-service-probe pair $n; done; touch finished) &
      until [ -e finished ]; do secret-service-probe show | awk '/auth/ {print $2}' | sort -u | wc -l; done
      wait
      """, environment: ["PROBE_LOCK_MS": "60000"], seconds: 120)
    #expect(result.status == 0, "\(result.errorText)")
    let counts = result.text.split(separator: "\n")
    #expect(counts.count > 3)
    #expect(Set(counts) == ["1"])
  }

  @Test func aLockThatIsHeldForTooLongIsExit42() throws {
    let result = try KeyringSession().run(
      """
      secret-service-probe init
      flock "$MFSCTL_HOME/state/vault/probe.secret-service.lock" bash -c \
        'PROBE_LOCK_MS=200 secret-service-probe set auth.a 1 || echo $?; secret-service-probe show'
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text == "42\ngeneration 1\n")
  }
}
