public import Basics
internal import StrategyHost
internal import Vault

/// Whom a sign-out reached, beside the removal here.
public struct SignOutReport: Hashable, Sendable {
  /// What came of one part of it. The words are those of `--json`.
  public enum Outcome: String, Sendable, CaseIterable {
    /// Whom it is about knows.
    case reached
    /// They refused.
    case refused
    /// They could not be reached, or had trouble of their own.
    case unreachable
    /// They have no way to be told.
    case notOffered = "not-offered"
    /// It could not be done here: there was no browser to open a page with.
    case skipped
    /// They were not asked: the settings name another place by now, or the strategy does not run.
    case notAsked = "not-asked"
    /// There was nothing to end.
    case nothing
  }

  /// One part of a sign-out.
  public struct Step: Hashable, Sendable {
    /// What came of it.
    public let outcome: Outcome
    /// Why; nil when there is nothing to say.
    public let message: String?

    init(_ outcome: Outcome, _ message: String? = nil) {
      self.outcome = outcome
      self.message = message
    }

    var isMissed: Bool { [.refused, .unreachable, .notAsked].contains(outcome) }
  }

  /// The gateway's session.
  public private(set) var gateway = Step(.nothing)
  /// The refresh token's revocation at the identity provider (RFC 7009).
  public private(set) var revocation = Step(.nothing)
  /// The identity provider's own session in the browser (OpenID Connect RP-Initiated Logout 1.0). `reached` says that the
  /// browser has its page; what the person does there is not known here.
  public private(set) var endSession = Step(.nothing)

  /// Nothing to end anywhere.
  init() {}

  /// What a strategy reports (docs/PLUGINS.md, "Results"). One that only says that it is done has told its gateway.
  init(_ fields: [String: StrategyValue]) {
    func text(_ name: String) -> String? { if case .text(let text)? = fields[name] { text } else { nil } }
    func step(_ name: String, orElse usual: Outcome) -> Step {
      Step(
        text(name).flatMap { Outcome(rawValue: $0) } ?? usual,
        text("\(name).message").map { OutsideText.clean($0) })
    }
    gateway = step("gateway", orElse: fields.isEmpty ? .reached : .nothing)
    revocation = step("revocation", orElse: .nothing)
    endSession = step("endSession", orElse: .nothing)
  }

  /// One in which nobody was asked, or all at once in vain: of what was stored.
  init(_ outcome: Outcome, _ message: String, of stored: VaultContents) {
    func step(_ key: SessionKey) -> Step {
      stored.names.contains { $0.text == key.rawValue } ? Step(outcome, message) : Step(.nothing)
    }
    gateway = Step(outcome, message)
    revocation = step(.refreshToken)
    endSession = step(.idToken)
  }

  private var steps: [(name: String, field: String, step: Step)] {
    [
      ("gateway session", "gateway", gateway), ("refresh token", "revocation", revocation),
      ("provider's own session", "endSession", endSession),
    ]
  }

  /// Whether the server knows, all in all.
  public var server: ServerNotice {
    let outcomes = steps.map(\.step.outcome)
    if outcomes.contains(.unreachable) { return .unreachable }
    return outcomes.contains(.reached) && !steps.contains { $0.step.isMissed } ? .told : .notTold
  }

  /// Why not everybody knows who should; nil when all do.
  var missed: String? {
    var messages: [String] = []
    for (_, _, step) in steps where step.isMissed {
      let text = step.message ?? step.outcome.rawValue
      if !messages.contains(text) { messages.append(text) }
    }
    return messages.isEmpty ? nil : messages.joined(separator: "; ")
  }

  /// Whether the identity provider may still know the person in the browser.
  public var leavesProviderSession: Bool { ![.reached, .nothing].contains(endSession.outcome) }

  /// The member `report` of the document: a word for each part.
  public var json: JSONValue {
    [
      "local": "done", "gateway": .string(gateway.outcome.rawValue),
      "revocation": .string(revocation.outcome.rawValue), "endSession": .string(endSession.outcome.rawValue),
    ]
  }

  /// The same for the decision log: the parts that there was something to end in.
  var words: [String] {
    steps.filter { $0.step.outcome != .nothing }.map { "\($0.field) \($0.step.outcome.rawValue)" }
  }

  /// The same for people, a line for each part that there was something to end in.
  public var lines: [String] {
    steps.filter { $0.step.outcome != .nothing }.map { name, _, step in
      let words = step.outcome.rawValue.map { $0 == "-" ? " " : String($0) }.joined()
      // Why somebody was missed is what the command fails with.
      return "\(name): \(words)" + (step.isMissed ? "" : step.message.map { " (\($0))" } ?? "")
    }
  }
}
