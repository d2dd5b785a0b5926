public import Basics
internal import HTTPServer

/// A gateway on a loopback port, and beside it a control port that changes what the gateway does while it runs.
public final class Lab: Sendable {
  /// The gateway.
  public let gateway: Gateway
  /// Its clock.
  public let clock: LabClock
  private let server: Server
  private let control: Server

  /// The gateway's origin, e.g. `http://127.0.0.1:4984`.
  public var origin: String { server.origin }
  /// The control port's origin; docs/LAB.md says what it understands.
  public var controlOrigin: String { control.origin }

  /// Starts both servers on 127.0.0.1. `port` 0 is any free one.
  /// Throws ``FailureCode/exists`` when another program listens there, ``FailureCode/inputOutput`` otherwise.
  public init(scenario: Scenario = Scenario(), port: UInt16 = 0, clock: LabClock = LabClock()) throws(Failure) {
    let gateway = Gateway(scenario) { clock.now() }
    var options = ServerOptions()
    options.port = port
    self.gateway = gateway
    self.clock = clock
    server = try Server(options: options) { gateway.respond(to: $0) }
    let panel = ControlPanel(gateway: gateway, clock: clock, normal: scenario)
    var controlOptions = ServerOptions()
    controlOptions.workers = 1
    control = try Server(options: controlOptions) { panel.respond(to: $0) }
  }

  /// Stops both servers; answers that were held back are cut.
  public func stop() {
    server.stop()
    control.stop()
  }
}
