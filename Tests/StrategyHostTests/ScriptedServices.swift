import Basics
import SecureMemory
import StrategyHost

/// What a plugin reaches outside: stored values, a person who answers by a script, a fixed clock, and a log that is kept.
final class ScriptedServices: StrategyServices {
  var stored: [String: String] = [:]
  var answers: [String] = []
  var refusal: Failure?
  var onPrompt: () -> Void = {}
  private(set) var asked: [StrategyPrompt] = []
  private(set) var lines: [String] = []

  func vaultValue(_ name: String) throws(Failure) -> SecureBytes? {
    guard let text = stored[name] else { return nil }
    return try SecureBytes(publicText: text)
  }

  func answer(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes {
    asked.append(prompt)
    onPrompt()
    if let refusal { throw refusal }
    return try SecureBytes(publicText: answers.isEmpty ? "" : answers.removeFirst())
  }

  var isCurrent = true
  private(set) var storedEarly: [[(name: String, value: StrategyValue)]] = []
  private(set) var shown: [String] = []
  var browser: (any StrategyBrowser)?

  func store(_ values: [(name: String, value: StrategyValue)]) throws(Failure) -> Bool {
    if isCurrent { storedEarly.append(values) }
    return isCurrent
  }

  func show(_ text: String) { shown.append(text) }
  func now() -> Timestamp { Timestamp(seconds: 1_800_000_000) }
  func log(_ line: String) { lines.append(line) }
}
