import Basics
import GatewayLab
import Testing
import WebSocket
import YAML

/// What a script means, without playing it.
@Suite struct ScriptTests {
  private func scenario(_ text: String) throws -> Scenario {
    try Scenario(try YAMLDocument.parse(Array(text.utf8), file: "lab.yaml"))
  }

  private func moments(_ steps: String, base: String = "") throws -> [Script.Moment] {
    try scenario("version: 1\n\(base)\nscript:\n\(steps)").script.moments
  }

  @Test func aStepHoldsFromItsBeginningToItsEnd() throws {
    let moments = try moments("  - {at: 5s, for: 3s, set: {database-state: offline}}")
    #expect(moments.map(\.at) == [5_000, 8_000])
    #expect(moments.map(\.options.databaseState) == [.offline, .online])
    #expect(moments.map(\.begins) == [["set database-state"], []])
    #expect(moments.map(\.ends) == [[], ["set database-state"]])
  }

  @Test func oneWithoutAnEndLasts() throws {
    let moments = try moments("  - {at: 1s, set: {guest: true}}\n  - {at: 2s, for: 1s, set: {password-auth: false}}")
    #expect(moments.map(\.at) == [1_000, 2_000, 3_000])
    #expect(moments.map(\.options.guest) == [true, true, true])
    #expect(moments.map(\.options.passwordAuth) == [true, false, true])
  }

  @Test func stepsOverlapAndTheLaterOneCounts() throws {
    let moments = try moments(
      """
        - {at: 2s, for: 2s, set: {session: {ttl: 20}}}
        - {at: 1s, for: 2s, set: {session: {ttl: 10, body: triple}}}
      """, base: "session: {ttl: 5}")
    #expect(moments.map(\.at) == [1_000, 2_000, 3_000, 4_000])
    #expect(moments.map(\.options.sessionTTL) == [10, 20, 20, 5])
    #expect(moments.map(\.options.sessionBody) == [.triple, .triple, .gateway, .gateway])
  }

  @Test func stepsThatBeginTogetherApplyInOrder() throws {
    let moments = try moments("  - {at: 1s, set: {guest: true}}\n  - {at: 1000ms, set: {guest: false}}")
    #expect(moments.map(\.options.guest) == [false])
  }

  @Test func theNewestFaultCountsFirst() throws {
    let moments = try moments(
      """
        - {at: 1s, for: 9s, faults: [{fault: slow, delay-ms: 1}]}
        - {at: 2s, for: 1s, faults: [{fault: garbage}], idp: {faults: [{fault: expired}], ttl: {code: 7}}}
      """, base: "faults: [{fault: forbidden}]\nidp: {faults: [{fault: no-kid}], ttl: {login: 3}}")
    #expect(
      moments.map { $0.faults.map(\.kind) } == [
        [.slow, .forbidden], [.garbage, .slow, .forbidden], [.slow, .forbidden], [.forbidden],
      ])
    #expect(
      moments.map { $0.provider.faults.map(\.kind) } == [[.noKeyID], [.expired, .noKeyID], [.noKeyID], [.noKeyID]])
    #expect(moments.map(\.provider.options.codeLifetime) == [60, 7, 60, 60])
    #expect(moments.allSatisfy { $0.provider.options.loginLifetime == 3 })
  }

  @Test func theClocksAddUp() throws {
    let moments = try moments(
      "  - {at: 1s, clock: 2h}\n  - {at: 2s, for: 1s, clock: -90s}\n  - {at: 4s, clock: -1d}")
    #expect(moments.map(\.skew) == [7_200, 7_110, 7_200, 7_200 - 86_400])
  }

  @Test func everyActionHasAWord() throws {
    for action in Script.Action.all {
      let moments = try moments("  - {at: 0s, do: [\(action.name)]}")
      #expect(moments.map(\.actions) == [[action]] && moments.map(\.begins.count) == [1])
      #expect(!action.summary.isEmpty)
    }
    let both = try moments("  - {at: 0s, do: [expire-sessions, close-replications], code: 4001}")
    #expect(both.map(\.actions) == [[.expireSessions, .closeReplications(CloseCode(rawValue: 4_001))]])
    #expect(both.map(\.begins) == [["expire-sessions, close-replications 4001"]])
  }

  @Test func everySwitchOfTheGatewayCanBeScripted() throws {
    let fields = """
      guest: true, password-auth: false, www-authenticate: false, unknown-database: not-found,
      login-origins: ["https://a.example"], server: other, cookie: {name: sid, http-only: true, secure: true, same-site: lax},
      session: {ttl: 60, body: triple, expires: offset}, disabled-users: [alice], profiles: {alice: E-1},
      database-state: starting,
      origins: ["https://b.example"], replication: {limit: 1, subprotocols: [3]},
      oidc: {enabled: false, register: true, username-claim: name, user-prefix: p, unreachable: true, include-access: true,
      callback-state: false, session: false, callback-url: "http://127.0.0.1:1/callback", provider: other}
      """
    let moments = try moments("  - at: 1s\n    for: 1s\n    set: {\(fields)}")
    let asConfigured = try scenario("{version: 1, \(fields)}").options
    #expect(moments.map(\.options) == [asConfigured, GatewayOptions()])
    // None is left out above but the database's name, which stays while a lab runs.
    #expect(unchanged(asConfigured, GatewayOptions()) == ["database"])
    #expect(unchanged(asConfigured.openID, OpenIDOptions()) == [])
  }

  /// The names of the members that two values have in common.
  private func unchanged<Options>(_ one: Options, _ other: Options) -> [String] {
    zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children).compactMap { one, other in
      String(reflecting: one.value) == String(reflecting: other.value) ? one.label : nil
    }
  }

  @Test func whoNeedsTheProviderSaysSo() throws {
    for (step, needs) in [
      ("set: {guest: true}", false), ("idp: {pkce: false}", true), ("do: [rotate-keys]", true),
      ("do: [end-sign-ins]", true), ("do: [expire-sessions]", false),
    ] {
      #expect(try scenario("version: 1\nscript: [{at: 0s, \(step)}]").script.needsProvider == needs, "\(step)")
    }
  }

  @Test(arguments: [
    ("0s", 0), ("250ms", 250), ("1s", 1_000), ("90s", 90_000), ("2m", 120_000), ("1h", 3_600_000), ("7d", 604_800_000),
  ])
  func times(text: String, milliseconds: Int64) throws {
    #expect(try moments("  - {at: \(text), set: {guest: true}}").map(\.at) == [milliseconds])
  }

  @Test(arguments: [(0, "0s"), (1, "1ms"), (1_500, "1500ms"), (60_000, "1m"), (90_000, "90s"), (86_400_000, "1d")])
  func timesAreWrittenAsTheyAreRead(milliseconds: Int64, text: String) {
    #expect(Script.text(milliseconds: milliseconds) == text)
  }

  static let mistakes: [(String, String, String)] = [
    ("[]", "", ""), ("5", "4:9", "list"), ("[5]", "4:10", "mapping"),
    ("[{set: {guest: true}}]", "4:10", "'at'"), ("[{at: 5s}]", "4:10", "changes nothing"),
    ("[{at: 5, do: [rotate-keys]}]", "4:15", "no time span"), ("[{at: 5x, do: [rotate-keys]}]", "4:15", "5s"),
    ("[{at: -5s, do: [rotate-keys]}]", "4:15", "out of range"), ("[{at: 8d, do: [rotate-keys]}]", "4:15", "7d"),
    ("[{at: 99999999999999999999s, do: [rotate-keys]}]", "4:15", "no time span"),
    ("[{at: 9223372036854775807s, do: [rotate-keys]}]", "4:15", "out of range"),
    ("[{at: --5s, do: [rotate-keys]}]", "4:15", "no time span"), ("[{at: s, do: [rotate-keys]}]", "4:15", "no time"),
    ("[{at: 5s, for: 0s, set: {guest: true}}]", "4:24", "out of range"),
    ("[{at: 5s, for: 1s, do: [rotate-keys]}]", "4:24", "no meaning"),
    ("[{at: 5s, until: 6s, set: {guest: true}}]", "4:19", "until"),
    ("[{at: 5s, set: {gest: true}}]", "4:25", "did you mean 'guest'"),
    ("[{at: 5s, set: {database: other}}]", "4:25", "database"),
    ("[{at: 5s, set: {guest: maybe}}]", "4:32", "true or false"),
    ("[{at: 5s, faults: [{fault: slwo}]}]", "4:36", "did you mean 'slow'"),
    ("[{at: 5s, idp: {ttl: {code: 0}}}]", "4:37", "out of range"),
    ("[{at: 5s, clock: 0s}]", "4:26", "whole seconds"), ("[{at: 5s, clock: 1500ms}]", "4:26", "whole seconds"),
    ("[{at: 5s, clock: 9999d}]", "4:26", "out of range"),
    ("[{at: 5s, do: [rotate-key]}]", "4:24", "did you mean 'rotate-keys'"),
    ("[{at: 5s, do: rotate-keys}]", "4:23", "list"),
    ("[{at: 5s, do: [rotate-keys], code: 1000}]", "4:44", "close-replications"),
    ("[{at: 5s, do: [close-replications], code: 1006}]", "4:51", "cannot be sent"),
  ]

  @Test(arguments: mistakes) func mistakesHaveAPlaceAndANextStep(steps: String, place: String, word: String) throws {
    let text = "version: 1\n\n\nscript: \(steps)"
    guard !place.isEmpty else {
      #expect(try scenario(text).script == Script())
      return
    }
    do {
      _ = try scenario(text)
      Issue.record("accepted: \(steps)")
    } catch let failure as Failure {
      #expect(failure.code == .configuration && failure.hint?.isEmpty == false)
      #expect(failure.message.hasPrefix("lab.yaml:\(place): "), "\(failure)")
      #expect(failure.description.contains(word), "\(failure)")
    }
  }

  @Test func aScriptHasAnEnd() throws {
    let step = "  - {at: 1s, set: {guest: true}}\n"
    #expect(try moments(String(repeating: step, count: 1_000)).count == 1)
    #expect(throws: Failure(.configuration, "")) { try moments(String(repeating: step, count: 1_001)) }
  }
}
