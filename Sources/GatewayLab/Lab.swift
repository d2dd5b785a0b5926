public import Basics
internal import HTTPServer
internal import Synchronization

/// A gateway on a loopback port, an identity provider on another if that is asked for, and beside them a control port that
/// changes what they do while they run.
public final class Lab: Sendable {
  /// The gateway.
  public let gateway: Gateway
  /// The identity provider of the gateway's users; nil when there is none.
  public let provider: IdentityProvider?
  /// Their clock.
  public let clock: LabClock
  private let server: Server
  private let providerServer: Server?
  private let control: Server
  private let player: ScenarioPlayer

  /// The gateway's origin, e.g. `http://127.0.0.1:4984`.
  public var origin: String { server.origin }
  /// The control port's origin; docs/LAB.md says what it understands.
  public var controlOrigin: String { control.origin }

  /// Starts the servers on 127.0.0.1. A port of 0 is any free one; without `providerPort` there is no identity provider. The
  /// scenario's script waits for ``play(_:)``.
  /// Throws ``FailureCode/exists`` when another program listens there, ``FailureCode/inputOutput`` otherwise.
  public init(
    scenario: Scenario = Scenario(), port: UInt16 = 0, providerPort: UInt16? = nil, clock: LabClock = LabClock()
  ) throws(Failure) {
    let gateway = Gateway(scenario) { clock.now() }
    self.gateway = gateway
    self.clock = clock
    server = try Lab.serve(port) { gateway.respond(to: $0) }
    if let providerPort {
      let provider = try IdentityProvider(scenario.provider, gateway: gateway) { clock.now() }
      let providerServer = try Lab.serve(providerPort) { provider.respond(to: $0) }
      provider.open(at: providerServer.origin, gateway: server.origin)
      gateway.relyingParty.withLock { $0 = RelyingParty(provider) }
      self.provider = provider
      self.providerServer = providerServer
    } else {
      provider = nil
      providerServer = nil
    }
    let player = ScenarioPlayer(gateway: gateway, provider: provider, clock: clock)
    self.player = player
    let panel = ControlPanel(gateway: gateway, provider: provider, clock: clock, player: player, normal: scenario)
    control = try Lab.serve(0, workers: 1) { panel.respond(to: $0) }
  }

  deinit { player.stop() }

  /// Plays a scenario from now on, its script too; users, sessions and sign-ins stay. The script that was playing ends.
  /// Throws ``FailureCode/inputOutput`` when the system has no room for a thread.
  public func play(_ scenario: Scenario) throws(Failure) { try player.play(scenario) }

  /// Stops the script and the servers; answers that were held back are cut.
  public func stop() {
    player.stop()
    server.stop()
    providerServer?.stop()
    control.stop()
  }

  private static func serve(
    _ port: UInt16, workers: Int? = nil, _ handler: @escaping Server.Handler
  ) throws(Failure) -> Server {
    var options = ServerOptions()
    options.port = port
    if let workers { options.workers = workers }
    return try Server(options: options, handler: handler)
  }
}
