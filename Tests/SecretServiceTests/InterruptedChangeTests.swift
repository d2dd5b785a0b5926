import Testing
import TestSupport

/// A command killed at each message that it sends leaves the old vault or the new one for the next command to see.
@Suite struct InterruptedChangeTests {
  /// Kills `command` at its first, second, ... message until one run gets through, and prints for each run the items that
  /// were left, then what the next command sees.
  private func script(prepare: String, command: String, next: String) -> String {
    """
    keys() { secret-tool search --all service mfsctl 2>&1 | sed -n 's/^attribute.key = //p' | sort | tr '\\n' ' '; }
    secret-service-probe init
    for n in $(seq 1 200); do
      \(prepare)
      status=0
      strace -f -o /dev/null -e trace=sendmsg --inject=sendmsg:signal=KILL:when=$n \(command) >/dev/null 2>&1 || status=$?
      echo "left $(keys)"
      echo "next $(\(next) 2>&1 | awk '{print $1, $2, $3}' | grep -v generation | tr '\\n' ' ')"
      echo "then $(keys)"
      [ $status = 137 ] || break
    done 2>/dev/null
    [ $status = 0 ]
    """
  }

  private struct Outcome: Hashable {
    let left: String, next: String, then: String
  }

  private func outcomes(_ text: String) -> [Outcome] {
    let lines = text.split(separator: "\n").map { String($0.dropFirst(5)).trimmingSuffix() }
    return stride(from: 0, to: lines.count - 2, by: 3).map {
      Outcome(left: lines[$0], next: lines[$0 + 1], then: lines[$0 + 2])
    }
  }

  @Test func aKilledLogoutIsFinishedByTheNextReadOrHasNotBegun() throws {
    let result = try KeyringSession().run(
      script(
        prepare: "secret-service-probe wipe; secret-service-probe fill auth.a auth.b auth.c mfs.dbkey.main",
        command: "secret-service-probe logout", next: "secret-service-probe show"), seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let all = outcomes(result.text)
    let views = Set(all.map { $0.next.split(separator: " ").filter { $0.contains(".") }.joined(separator: " ") })
    // Old and new, never a mixture; each was seen.
    #expect(views == ["auth.a auth.b auth.c mfs.dbkey.main", "mfs.dbkey.main"])
    #expect(Set(all.map(\.then)) == ["@vault auth.a auth.b auth.c mfs.dbkey.main", "@vault mfs.dbkey.main"])
    // The kills did fall into the middle of it.
    #expect(all.contains { $0.left == "@pending @vault auth.c mfs.dbkey.main" }, "\(Set(all.map(\.left)))")
    // The key's bytes are the same in each.
    let keys = Set(
      all.compactMap { outcome in
        outcome.next.range(of: "mfs.dbkey.main").map { String(outcome.next[$0.lowerBound...]) }
      })
    #expect(keys.count == 1)
  }

  @Test func aKilledChangeOfSeveralValuesIsSeenWholeOrNotAtAll() throws {
    let result = try KeyringSession().run(
      script(
        prepare: "secret-service-probe wipe; secret-service-probe set auth.a 3; secret-service-probe set auth.b 3",
        command: "secret-service-probe fill auth.a auth.b auth.c", next: "secret-service-probe show"), seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let views = Set(
      outcomes(result.text).map { outcome in
        let words = outcome.next.split(separator: " ")
        return stride(from: 0, to: words.count - 2, by: 3).map { "\(words[$0]) \(words[$0 + 1])" }.joined(
          separator: " ")
      })
    #expect(views == ["auth.a 3 auth.b 3", "auth.a 40 auth.b 40 auth.c 40"])
  }

  @Test func aKilledWipeIsFinishedByTheNextWrite() throws {
    let result = try KeyringSession().run(
      script(
        prepare: "secret-service-probe fill auth.a auth.b mfs.dbkey.main", command: "secret-service-probe wipe",
        next: "secret-service-probe set auth.z 1; secret-service-probe show"), seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let then = Set(outcomes(result.text).map(\.then))
    #expect(then == ["@vault auth.a auth.b auth.z mfs.dbkey.main", "@vault auth.z"])
  }

  @Test func aKilledDestroyIsFinishedByTheNextCommand() throws {
    let result = try KeyringSession().run(
      script(
        prepare: "secret-service-probe init 2>/dev/null || :; secret-service-probe fill auth.a auth.b",
        command: "secret-service-probe destroy", next: "secret-service-probe show"), seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    let all = outcomes(result.text)
    #expect(Set(all.map(\.then)) == ["@vault auth.a auth.b", ""])
    #expect(all.contains { $0.next.hasPrefix("vault.not-initialised:") && $0.left.hasPrefix("@pending") })
  }

  @Test func aKilledInitIsNoVaultOrOne() throws {
    let result = try KeyringSession().run(
      script(
        prepare: "secret-service-probe destroy >/dev/null", command: "secret-service-probe init",
        next: "secret-service-probe show"), seconds: 120)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(Set(outcomes(result.text).map(\.then)) == ["", "@vault"])
  }
}

extension String {
  fileprivate func trimmingSuffix() -> String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
