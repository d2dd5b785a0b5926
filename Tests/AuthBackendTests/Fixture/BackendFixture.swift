import AuthBackend
import BackendKeys
import BackendStore
import Basics
import HTTPServer
import HTTPTestSupport
import SecureMemory
import TestSupport
import Vault

/// A backend over a database in a folder of its own, with a clock that a test turns, behind a real server on 127.0.0.1. It has the
/// clients of ``Registry`` and the users `alice` and `bob`.
// The secret is not written to after `init`.
final class BackendFixture: @unchecked Sendable {
  let folder: Sandbox
  let clock: TestClock
  let store: SQLiteStore
  let backend: Backend
  let server: Server
  let events: EventLog
  let unlock: SecureBox
  /// Where requests were answered, in order.
  let steps: Monitor<[Step]>

  /// Where a request was answered; see ``HTTPServer/FirstStep``.
  enum Step { case atOnce, later, worker }

  /// `issuer` nil is the server's own address. `after` is a fixture whose database, or a copy of it in another folder,
  /// is opened as it is.
  init(
    issuer: String? = "https://auth.example.com", at time: Timestamp = TestClock.start, workers: Int = 8,
    after: (fixture: BackendFixture, folder: Sandbox)? = nil, keys: KeyRingSettings = KeyRingSettings(),
    _ change: (inout BackendSettings) -> Void = { _ in }
  ) throws {
    let folder = try after?.folder ?? Sandbox(), clock = after?.fixture.clock ?? TestClock(time), events = EventLog()
    let unlock = try after?.fixture.unlock ?? SecureBox(SecureBytes.random(count: 32))
    let store = try SQLiteStore(path: folder("auth.db"))
    let sealer = Sealer(.keyFile(unlock))
    let ring = try KeyRing(store: store, sealer: sealer, settings: keys) { clock.now }
    let peppers = try Peppers(store: store, sealer: sealer) { clock.now }
    try ring.tick()
    try peppers.tick()

    let running = Monitor<Backend?>(nil), steps = Monitor<[Step]>([])
    var options = ServerOptions()
    options.workers = workers
    let server = try Server(
      options: options,
      first: { request, pending in
        guard let backend = running.withLock({ $0 }) else { return .answer(.cut) }
        let step = backend.begin(request, pending) { _, _ in }
        steps.withLock { $0.append(Step(step)) }
        return step
      })
    var settings = try BackendSettings(issuer: issuer ?? server.origin)
    settings.tokenRequestsPerClientAndAddress = 1_000_000
    settings.authorizationRequestsPerClientAndAddress = 1_000_000
    settings.callsPerAddress = 1_000_000
    settings.tokenRequestsPerDevice = 1_000_000
    change(&settings)
    let backend = try Backend(
      settings: settings, store: store, keys: ring, peppers: peppers, clock: { clock.now },
      onEvent: { event in
        let fields = Dictionary(event.fields.map { ($0.name, $0.value) }) { $1 }
        events.add(.init(name: event.name, fields: fields, isAlert: event.isAlert))
      })
    running.withLock { $0 = backend }
    (self.folder, self.clock, self.store, self.backend, self.server) = (folder, clock, store, backend, server)
    (self.events, self.unlock, self.steps) = (events, unlock, steps)
    if after == nil { try Registry.fill(store, at: clock.now) }
  }

  deinit { server.stop(grace: 0) }

  var issuer: String { backend.settings.issuer }

  /// Turns the clock, and lets keys and peppers do what is due, as the timer would each minute.
  func advance(by seconds: Int64) throws {
    clock.advance(by: seconds)
    try backend.keys.tick()
    try backend.peppers.tick()
  }

  /// Sends a request without cookies.
  func send(
    _ method: String, _ target: String, headers: [String] = [], body: String? = nil
  ) throws -> RawResponse {
    guard let response = try exchange(server.port, method, target, headers: headers, body: body) else {
      throw NoAnswer(description: "\(method) \(target.prefix(200)) was not answered")
    }
    return response
  }

  /// Posts a form as a program does.
  func post(_ path: String, _ items: [(String, String)], headers: [String] = []) throws -> RawResponse {
    try send(
      "POST", path, headers: ["Content-Type: application/x-www-form-urlencoded"] + headers, body: formText(items))
  }

  struct NoAnswer: Error, CustomStringConvertible {
    let description: String
  }
}

extension BackendFixture.Step {
  fileprivate init(_ step: FirstStep) {
    self =
      switch step {
      case .answer: .atOnce
      case .later: .later
      case .worker: .worker
      }
  }
}
