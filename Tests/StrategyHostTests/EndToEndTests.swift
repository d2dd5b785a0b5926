import Basics
import Foundation
import SecureMemory
import StrategyHost
import TestSupport
import Testing

/// The real plugins in the real sandbox, against a server.
struct EndToEndTests {
  let services = ScriptedServices()
  let gateway: Gateway
  let folder: BuiltFolder
  init() throws {
    gateway = try Gateway.shared.get()
    folder = try BuiltFolder()
  }

  private func run(
    _ strategy: String, _ operation: StrategyOperation = .login, database: String = "mfs", identifier: String? = nil,
    url: String? = nil
  ) throws -> StrategyOutcome {
    let host = StrategyHost(locations: folder.locations, interruption: .never)
    return try host.run(
      StrategyCall(
        strategy: strategy, operation: operation,
        settings: ["EXPO_PUBLIC_SG_URL": url ?? gateway.socketURL, "EXPO_PUBLIC_SG_DB": database],
        identifier: identifier, timeout: 60),
      services: services)
  }

  private func fields(_ outcome: StrategyOutcome) throws -> [String: String] {
    guard case .success(let fields) = outcome else {
      throw PluginFolder.Broken(description: "\(outcome) \(services.lines)")
    }
    return fields.mapValues { value in
      switch value {
      case .text(let text): text
      case .secret(let secret): "secret:" + (secret.bytes.publicText() ?? "?")
      case .instant(let time): time.description
      }
    }
  }

  private func reason(_ outcome: StrategyOutcome) throws -> StrategyFailure.Reason {
    guard case .failure(let failure) = outcome else { throw PluginFolder.Broken(description: "\(outcome)") }
    return failure.reason
  }

  @Test func theBuiltPluginsAreTrusted() throws {
    let entries = try StrategyCatalogue(folder.locations).list()
    #expect(entries.map(\.name.text) == ["basic", "demo"])
    for entry in entries { #expect(entry.problems.isEmpty, "\(entry)") }
  }

  @Test func demoSignsInAnyoneWithAName() throws {
    services.answers = ["alice"]
    #expect(try fields(try run("demo")) == ["identifier": "alice", "session": "none"])
    #expect(services.asked.count == 1)
    #expect(try fields(try run("demo", identifier: "bob")) == ["identifier": "bob", "session": "none"])
    #expect(services.asked.count == 1)
  }

  @Test func demoHasNeitherRefreshNorLogout() throws {
    #expect(try reason(try run("demo", .refresh)) == .interactionNeeded)
    #expect(try reason(try run("demo", .logout)) == .refused)
  }

  @Test func basicOpensASession() throws {
    services.answers = ["correct horse"]
    let fields = try fields(try run("basic", identifier: "alice"))
    #expect(fields["identifier"] == "alice")
    #expect(fields["session"] == "cookie")
    #expect(fields["sessionId"] == "secret:0123456789abcdef0123456789abcdef01234567")
    #expect(fields["cookieName"] == "SyncGatewaySession")
    #expect(fields["sessionExpiresAt"] == "2037-09-04T18:00:00Z")
    #expect(fields["password"] == "secret:correct horse")
    #expect(services.asked.map(\.isSecret) == [true])
    #expect(!services.lines.contains { $0.contains("correct horse") || $0.contains("0123456789abcdef") })
  }

  @Test func basicSaysWhyItCouldNot() throws {
    services.answers = ["wrong", "x", "x"]
    #expect(try reason(try run("basic", identifier: "alice")) == .badCredentials)
    #expect(try reason(try run("basic", database: "down", identifier: "alice")) == .server)
    #expect(
      try reason(try run("basic", identifier: "alice", url: "ws://127.0.0.1:\(DeadPort.shared.port)")) == .network)
  }

  @Test func basicRefreshesFromWhatIsStored() throws {
    services.stored = ["auth.identifier": "alice", "auth.password": "correct horse"]
    let fields = try fields(try run("basic", .refresh))
    #expect(fields["sessionId"] == "secret:0123456789abcdef0123456789abcdef01234567")
    #expect(services.asked.isEmpty)
    services.stored = [:]
    #expect(try reason(try run("basic", .refresh)) == .interactionNeeded)
  }

  @Test func basicClosesASession() throws {
    services.stored = [
      "auth.sessionId": "0123456789abcdef0123456789abcdef01234567", "auth.cookieName": "SyncGatewaySession",
    ]
    #expect(try fields(try run("basic", .logout)).isEmpty)
  }
}
