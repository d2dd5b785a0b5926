public import Basics
public import SecureMemory

/// What a strategy is asked to do.
public enum StrategyOperation: UInt32, Sendable, CaseIterable {
  /// Get a session from nothing.
  case login = 1
  /// Get a new session without asking anyone.
  case refresh = 2
  /// Tell the servers that the session ends.
  case logout = 3
}

/// One run of a strategy.
public struct StrategyCall: Sendable {
  /// Which strategy, by the name its manifest gives.
  public let strategy: String
  /// What it is to do.
  public let operation: StrategyOperation
  /// The resolved settings that its manifest declares, by name.
  public let settings: [String: String]
  /// The identifier given beforehand (`--identifier`), so that it need not ask.
  public let identifier: String?
  /// How long it may take, in seconds; then it is killed.
  public let timeout: Int

  /// A run of a strategy.
  public init(
    strategy: String, operation: StrategyOperation, settings: [String: String], identifier: String? = nil,
    timeout: Int = 60
  ) {
    self.strategy = strategy
    self.operation = operation
    self.settings = settings
    self.identifier = identifier
    self.timeout = timeout
  }
}

/// What a plugin asks a person.
public struct StrategyPrompt: Sendable {
  /// The text, already cleaned.
  public let text: String
  /// Whether what is typed is a secret and is not shown.
  public let isSecret: Bool

  /// A question.
  public init(text: String, isSecret: Bool) {
    self.text = text
    self.isSecret = isSecret
  }
}

/// What the host calls of a plugin reach outside the sandbox. The session implements it; tests give a scripted one.
/// Every call is made only if the manifest declares it and the user granted it.
public protocol StrategyServices: AnyObject {
  /// A value that the plugin's manifest lets it use; nil when there is none.
  func vaultValue(_ name: String) throws(Failure) -> SecureBytes?
  /// Asks a person. Throws ``FailureCode/cancelled`` when they refuse, ``FailureCode/signInNeeded`` when there is
  /// nobody to ask.
  func answer(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes
  /// Stores values under the names of the vault, all in one commit that is durable when it returns. False when the sign-in
  /// that is being refreshed is no longer the current one: then nothing is stored.
  func store(_ values: [(name: String, value: StrategyValue)]) throws(Failure) -> Bool
  /// Shows a person a text, already cleaned.
  func show(_ text: String) throws(Failure)
  /// The person's browser; nil when there is none and nobody to ask in its place.
  var browser: (any StrategyBrowser)? { get }
  /// Whether the identity provider is to ask who signs in, though it may know from before (`prompt=login`).
  var asksAgain: Bool { get }
  /// The wall clock.
  func now() -> Timestamp
  /// A line of the plugin's log, already cleaned.
  func log(_ line: String)
}

extension StrategyServices {
  /// Nobody is asked again.
  public var asksAgain: Bool { false }
}

/// A value in a plugin's result.
public enum StrategyValue {
  /// Text that may be shown.
  case text(String)
  /// A secret.
  case secret(SecureBox)
  /// A moment.
  case instant(Timestamp)
}

/// How a run of a strategy ended.
public enum StrategyOutcome {
  /// It did what it was asked; the fields are those of docs/PLUGINS.md.
  case success([String: StrategyValue])
  /// It said why it could not.
  case failure(StrategyFailure)
}

/// Why a strategy could not do what it was asked. The text is the plugin's, cleaned.
public struct StrategyFailure: Error, Sendable, Equatable {
  /// The closed set of reasons.
  public enum Reason: UInt32, Sendable, CaseIterable {
    /// A setting is missing or cannot be used.
    case badSettings = 1
    /// The server rejected the credentials.
    case badCredentials = 2
    /// Only a person can go on.
    case interactionNeeded = 3
    /// The server could not be reached.
    case network = 4
    /// The server answered with trouble of its own (5xx, 429).
    case server = 5
    /// The server's answer could not be understood.
    case protocolViolation = 6
    /// The server refused for good (400, 403, 404, trust, redirect).
    case refused = 7
    /// Cancelled by the user.
    case cancelled = 8
    /// The host denied a call.
    case denied = 9
    /// A fault inside the plugin.
    case `internal` = 10
  }

  /// Why.
  public let reason: Reason
  /// What to tell a person.
  public let message: String
  /// The HTTP status that led to it; nil when there was none.
  public let status: Int?
  /// Seconds after which trying again makes sense, as the server said; nil when it did not.
  public let retryAfter: Int?

  /// A failure of a strategy.
  public init(_ reason: Reason, _ message: String, status: Int? = nil, retryAfter: Int? = nil) {
    self.reason = reason
    self.message = message
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// Runs strategies. ``StrategyHost`` does it in a sandboxed process; tests use a scripted one.
public protocol StrategyRunning: AnyObject {
  /// Starts what the next run will need, while the caller still reads what it is to run; what goes wrong is the run's to
  /// tell.
  func prepare()

  /// The settings whose servers a strategy may talk to, as its manifest has them; none for one that is not installed.
  func serverSettings(of strategy: String) -> [String]

  /// Runs a strategy once. Throws ``FailureCode/pluginRefused`` when it may not run, ``FailureCode/pluginFailed`` when
  /// it crashed, hung or broke its contract; what the plugin itself reports is a ``StrategyOutcome/failure(_:)``.
  func run(_ call: StrategyCall, services: any StrategyServices) throws(Failure) -> StrategyOutcome
}

extension StrategyRunning {
  /// Nothing has to be started beforehand.
  public func prepare() {}

  /// None.
  public func serverSettings(of strategy: String) -> [String] { [] }
}
