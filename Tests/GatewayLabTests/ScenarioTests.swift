import Basics
import GatewayLab
import Testing
import YAML

@Suite struct ScenarioTests {
  private func scenario(_ text: String) throws -> Scenario {
    try Scenario(try YAMLDocument.parse(Array(text.utf8), file: "lab.yaml"))
  }

  @Test func everyFieldIsRead() throws {
    let scenario = try scenario(
      """
      version: 1
      database: other
      guest: true
      password-auth: false
      www-authenticate: false
      unknown-database: not-found
      login-origins: ["https://a.example"]
      server: Couchbase Sync Gateway/3.0
      cookie: {name: sid, http-only: true, secure: true, same-site: lax}
      session: {ttl: 60, body: triple, expires: offset}
      disabled-users: [alice, 007]
      profiles: {alice: E-17, bob: 0815}
      faults:
        - {fault: slow, on: [session-create, other], after: 2, times: 3, delay-ms: 10}
        - {fault: huge-body, size: 5}
        - {fault: redirect, location: "https://b.example/"}
      """)
    var options = GatewayOptions()
    options.database = "other"
    options.guest = true
    options.passwordAuth = false
    options.wwwAuthenticate = false
    options.unknownDatabase = .notFound
    options.loginOrigins = ["https://a.example"]
    options.server = "Couchbase Sync Gateway/3.0"
    options.cookieName = "sid"
    options.cookieHTTPOnly = true
    options.cookieSecure = true
    options.cookieSameSite = .lax
    options.sessionTTL = 60
    options.sessionBody = .triple
    options.expiresFormat = .offset
    options.disabledUsers = ["alice", "007"]
    options.profiles = ["alice": "E-17", "bob": "0815"]
    #expect(scenario.options == options)
    var slow = Fault(.slow)
    slow.operations = [.sessionCreate, .other]
    slow.after = 2
    slow.times = 3
    slow.delayMilliseconds = 10
    var huge = Fault(.hugeBody)
    huge.size = 5
    var redirect = Fault(.redirect)
    redirect.location = "https://b.example/"
    #expect(scenario.faults == [slow, huge, redirect])
  }

  @Test func theLeastIsAVersion() throws {
    #expect(try scenario("version: 1") == Scenario())
    #expect(try scenario("version: 1\nfaults:") == Scenario())
  }

  @Test(arguments: [
    ("", "empty"), ("[]", "mapping"),
    ("version: 2", "out of range"), ("guest: true", "'version'"), ("version: 1\nguset: true", "guset"),
    ("version: 1\nguest: yes", "true or false"),
    ("version: 1\ndatabase: Upper", "database name"),
    ("version: 1\ndatabase: _x", "database name"), ("version: 1\ncookie: {name: \"a b\"}", "cookie name"),
    ("version: 1\ncookie: {name: \"\"}", "cookie name"), ("version: 1\ncookie: {same-site: maybe}", "maybe"),
    ("version: 1\nsession: {ttl: 0}", "out of range"), ("version: 1\nsession: {body: both}", "both"),
    ("version: 1\nserver: \"a\\r\\nb\"", "header field"), ("version: 1\nfaults: slow", "list"),
    ("version: 1\nfaults: [slow]", "mapping"), ("version: 1\nfaults: [{}]", "'fault'"),
    ("version: 1\nfaults: [{fault: slow, delay: 1}]", "delay"),
    ("version: 1\nfaults: [{fault: slow, times: 0}]", "out of range"),
    ("version: 1\nfaults: [{fault: slow, on: [login]}]", "login"),
    ("version: 1\nfaults: [{fault: redirect, location: \"a\\nb\"}]", "header field"),
    ("version: 1\nversion: 1", "version"), ("version: 1\nfaults: &a [*a]", "anchor"),
  ])
  func mistakesAreExplained(text: String, word: String) throws {
    do {
      _ = try scenario(text)
      Issue.record("accepted: \(text)")
    } catch let failure as Failure {
      #expect(failure.code == .configuration)
      #expect(failure.message.hasPrefix("lab.yaml:") && failure.description.contains(word), "\(failure)")
    }
  }

  @Test func everyFaultCanBeNamed() throws {
    for kind in Fault.Kind.allCases {
      #expect(try scenario("version: 1\nfaults: [{fault: \(kind.rawValue)}]").faults == [Fault(kind)])
      #expect(!kind.summary.isEmpty)
    }
  }
}
