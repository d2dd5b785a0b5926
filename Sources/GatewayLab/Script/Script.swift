/// What changes by itself while a scenario is played. Everything is decided when the file is read, so that playing cannot fail.
public struct Script: Sendable, Equatable {
  /// A moment at which something changes, and how everything is from then on.
  public struct Moment: Sendable, Equatable {
    /// How many milliseconds after the beginning.
    public let at: Int64
    /// The gateway's configuration from then on.
    public let options: GatewayOptions
    /// What goes wrong at the gateway from then on.
    public let faults: [Fault]
    /// The identity provider's configuration and faults from then on.
    public let provider: ProviderScenario
    /// How many seconds the lab's clock is ahead of the one without a script, from then on.
    public let skew: Int64
    /// What happens once.
    public let actions: [Action]
    /// The steps that begin, a line each.
    public let begins: [String]
    /// The steps that end, a line each.
    public let ends: [String]
  }

  /// The moments in order; none when nothing changes.
  public internal(set) var moments: [Moment] = []
  /// Whether a step is about the identity provider.
  public internal(set) var needsProvider = false

  /// Nothing changes.
  public init() {}

  /// A time of the script as its file would say it: `250ms`, `5s`, `2m`.
  public static func text(milliseconds: Int64) -> String { LabDuration.text(milliseconds) }
}
