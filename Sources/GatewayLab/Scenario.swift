/// How the gateway is configured and what goes wrong: what a scenario file says (docs/LAB.md).
public struct Scenario: Sendable, Equatable {
  /// The configuration.
  public var options = GatewayOptions()
  /// What goes wrong. The first fault that applies to a request is the one that happens.
  public var faults: [Fault] = []
  /// The identity provider's configuration and faults; without one this says nothing.
  public var provider = ProviderScenario()
  /// What changes by itself while it is played.
  public var script = Script()

  /// The defaults, and nothing goes wrong.
  public init() {}

  /// The defaults, and these things go wrong.
  public init(faults: [Fault]) { self.faults = faults }
}
