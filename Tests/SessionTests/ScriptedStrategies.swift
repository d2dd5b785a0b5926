import Basics
import SecureMemory
import Session
import StrategyHost

/// A runner that does what a test says, and writes down what it was asked.
final class ScriptedStrategies: StrategyRunning {
  typealias Script = (StrategyCall, any StrategyServices) throws(Failure) -> StrategyOutcome

  private let script: Script
  private(set) var calls: [StrategyCall] = []
  var operations: [StrategyOperation] { calls.map(\.operation) }

  /// The settings whose servers the strategy's manifest names.
  var servers: [String] = []

  init(_ script: @escaping Script) { self.script = script }

  func serverSettings(of strategy: String) -> [String] { servers }

  /// One that must not be called.
  static func never() -> ScriptedStrategies {
    ScriptedStrategies { call, _ throws(Failure) in throw Failure(.bug, "\(call.operation) must not run") }
  }

  func run(_ call: StrategyCall, services: any StrategyServices) throws(Failure) -> StrategyOutcome {
    calls.append(call)
    return try script(call, services)
  }
}

/// Answers prompts by their text.
final class ScriptedPrompter: SessionPrompter {
  private let answers: [String: String]
  private(set) var asked: [String] = []
  private(set) var shown: [String] = []
  init(_ answers: [String: String]) { self.answers = answers }
  func ask(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes {
    asked.append(prompt.text)
    guard let answer = answers[prompt.text] else { throw Failure(.cancelled, "cancelled") }
    return try SecureBytes(publicText: answer)
  }
  func show(_ text: String) { shown.append(text) }
}

enum Canary {
  static let password = "CANARY-pass-7f3a"
  static let session = "CANARYsession0123456789abcdef"
  static let refreshed = "CANARYrefreshed0123456789abcd"
  static let databaseKey = "CANARY-dbkey-55aa"
  static let all = [password, session, refreshed, databaseKey]
}

func secret(_ text: String) throws(Failure) -> StrategyValue { .secret(SecureBox(try SecureBytes(publicText: text))) }

/// What the strategy `basic` brings.
func cookie(
  _ session: String, until end: Timestamp, identifier: String? = "alice", password: String? = Canary.password
) throws(Failure) -> StrategyOutcome {
  var fields: [String: StrategyValue] = [
    "session": .text("cookie"), "sessionId": try secret(session), "cookieName": .text("SyncGatewaySession"),
    "sessionExpiresAt": .instant(end),
  ]
  if let identifier { fields["identifier"] = .text(identifier) }
  if let password { fields["password"] = try secret(password) }
  return .success(fields)
}
