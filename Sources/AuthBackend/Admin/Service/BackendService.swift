internal import AuthBackend
public import BackendKeys
public import BackendStore
public import Basics
internal import Glibc
internal import HTTPServer

/// A running backend: the store and its keys, the server, what is due by the clock, metrics and alerts.
public final class BackendService: Sendable {
  /// Where it listens: `http://ADDRESS:PORT` or `https`.
  public let origin: String
  /// Where its metrics are served; nil when they are not.
  public let metricsOrigin: String?

  private let configuration: BackendConfiguration
  private let server: Server
  private let metrics: Server?
  private let webhook: Webhook?
  let housekeeping: Housekeeping
  private let journal: ServiceJournal
  private let log: ServiceLog

  private init(
    _ configuration: BackendConfiguration, server: Server, metrics: Server?, webhook: Webhook?,
    housekeeping: Housekeeping, journal: ServiceJournal, log: ServiceLog
  ) {
    (self.configuration, self.server, self.metrics) = (configuration, server, metrics)
    (self.webhook, self.housekeeping) = (webhook, housekeeping)
    (self.journal, self.log) = (journal, log)
    (origin, metricsOrigin) = (server.origin, metrics?.origin)
  }

  /// Starts on a store that is there and has keys. `version` is what the metrics call it, `clock` the time that all goes by.
  ///
  /// Throws what the store, the keys, ``AttestationSettings/verifier()`` and the server throw; then nothing runs on.
  public static func start(
    _ configuration: BackendConfiguration, store: any AuthStore, sealer: Sealer, version: String, log: ServiceLog,
    clock: @escaping @Sendable () -> Timestamp = { .now() }
  ) throws(Failure) -> BackendService {
    let audited = AuditedKeys(store, by: nil, clock: clock)
    let keys = try KeyRing(store: audited, sealer: sealer, settings: configuration.keys, clock: clock)
    let peppers = try Peppers(store: audited, sealer: sealer, settings: configuration.peppers, clock: clock)
    let attestation = try configuration.attestation.verifier()
    let attests = try store.clients().contains { $0.attestation != .off }
    if attests || configuration.attestation.isSet {
      log.write(
        .info, "attestation.ready",
        [
          ("appAttestRoots", .string(configuration.attestation.roots == nil ? "apple" : "file")),
          ("playIntegrity", .strings(attestation.integrityKeys.keys.sorted())),
        ])
    }
    var webhook: Webhook?
    if let settings = configuration.webhook {
      if let file = settings.authorities { _ = try Files.read(file, limit: 4 << 20) }
      webhook = try Webhook(settings, issuer: configuration.backend.issuer, log: log)
    }
    do throws(Failure) {
      let tell = { @Sendable [webhook] (event: BackendEvent) in
        log.write(event)
        if event.isAlert { webhook?.send(event) }
      }
      let backend = try Backend(
        settings: configuration.backend, store: store, keys: keys, peppers: peppers, clock: clock,
        attestation: attestation, onEvent: tell)
      let journal = ServiceJournal(backend: backend)
      journal.note(try keys.tick())
      journal.note(try peppers.tick())
      let times = RequestTimes()
      let start = Timestamp.now()
      let about = """
        # HELP mfs_start_time_seconds When the server started.
        # TYPE mfs_start_time_seconds gauge
        mfs_start_time_seconds \(start.seconds)
        # HELP mfs_build_info The version.
        # TYPE mfs_build_info gauge
        mfs_build_info{version="\(version)"} 1

        """
      let metrics = try serveMetrics(configuration) { [webhook] in
        backend.metricsText + times.text + (webhook?.metrics ?? "") + log.metrics + about
      }
      let server = try serve(configuration, backend, times, log)
      let keep = configuration.running.keepSeconds
      let housekeeping = try Housekeeping([
        .init(first: 60, seconds: 60) { _ in
          journal.attempt("keys.failed") { () throws(Failure) in journal.note(try keys.tick()) }
        },
        .init(first: 60, seconds: 60) { _ in
          journal.attempt("peppers.failed") { () throws(Failure) in journal.note(try peppers.tick()) }
        },
        // Soon after the start, or a server that is started again more often than every hour would never do it.
        .init(first: 60, seconds: 3_600) { isStopping in
          journal.attempt("prune.failed") { () throws(Failure) in
            try store.prune(now: clock(), keepSeconds: keep, isCancelled: isStopping)
          }
        },
      ])
      return BackendService(
        configuration, server: server, metrics: metrics, webhook: webhook, housekeeping: housekeeping,
        journal: journal, log: log)
    } catch {
      webhook?.stop(within: 0)
      throw error
    }
  }

  /// Reads the certificate and its key again and shows them to who connects from now on; connections that are open stay. A pair that
  /// cannot be read or used is an alert, and the one before it stays.
  public func readIdentityAgain() {
    guard let tls = configuration.tls else { return log.write(.info, "tls.none") }
    journal.attempt("tls.failed") { () throws(Failure) in
      try server.show(try BackendService.identity(tls, configuration.credentials))
      log.write(.info, "tls.read")
    }
  }

  private static func identity(
    _ tls: (certificate: String, key: String), _ credentials: String?
  ) throws(Failure) -> ServerIdentity {
    // What waits for the other end of a pipe is deaf to signals meanwhile.
    try Files.checkPlain(tls.key, what: "the TLS key")
    return try ServerIdentity(certificateFile: tls.certificate, keyFile: tls.key, credentials: credentials)
  }

  /// Stops: takes nothing new, answers what was read, sends the alerts that wait, and returns when all is done.
  public func stop() {
    server.stop(grace: Double(configuration.running.drainSeconds))
    housekeeping.stop()
    metrics?.stop(grace: 0.2)
    webhook?.stop(within: 5)
  }

  private static func serveMetrics(
    _ configuration: BackendConfiguration, _ text: @escaping @Sendable () -> String
  ) throws(Failure) -> Server? {
    guard let place = configuration.metrics else { return nil }
    var options = ServerOptions()
    (options.address, options.port) = place
    (options.addressName, options.portName) = ("MFS_AUTHD_METRICS_ADDRESS", "MFS_AUTHD_METRICS_PORT")
    (options.workers, options.bodyLimit) = (2, 0)
    return try Server(options: options) { request in
      guard request.target.path == "/metrics" else {
        return .plain("only /metrics is here\n", status: 404)
      }
      guard ["GET", "HEAD"].contains(request.method) else {
        return ServerResponse(status: 405, headers: ["Allow": "GET, HEAD"])
      }
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"], text: text())
    }
  }

  /// In the clear only this machine and the proxies in front are heard, whoever else reaches the port.
  static func mayPass(_ peer: String, isClear: Bool, proxies: Set<String>) -> Bool {
    !isClear || proxies.contains(peer) || BackendConfiguration.isLoopback(peer)
  }

  /// How many threads read, sign tokens and answer: two for each processor. A connection stays with the thread that took it, and by twos no
  /// processor is idle while another one's thread has more than its share of them. Of the connections each has an equal part, eight at least.
  private static func ioThreads(processors: Int, connections: Int) -> Int {
    max(2, min(2 * processors, 32, connections / 8))
  }

  private static func serve(
    _ configuration: BackendConfiguration, _ backend: Backend, _ times: RequestTimes, _ log: ServiceLog
  ) throws(Failure) -> Server {
    var options = ServerOptions()
    (options.address, options.port) = configuration.listen
    (options.addressName, options.portName) = ("MFS_AUTHD_LISTEN_ADDRESS", "MFS_AUTHD_LISTEN_PORT")
    options.workers = configuration.running.workers
    options.connectionLimit = configuration.running.connections
    options.ioThreads = ioThreads(
      processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), connections: options.connectionLimit)
    options.connectionsPerAddress = configuration.running.connectionsPerAddress
    options.requestTimeout = 15
    options.responseTimeout = 60
    // More than a form may have, so that the refusal is OAuth's.
    options.bodyLimit = 131_072
    let identity: ServerIdentity? =
      if let tls = configuration.tls { try identity(tls, configuration.credentials) } else { nil }
    let logsRequests = configuration.running.logsRequests, isClear = identity == nil
    let proxies = configuration.backend.trustedProxies
    let count = {
      @Sendable (request: ServerRequest, start: MonotonicInstant, summary: RequestSummary, response: ServerResponse) in
      let endpoint = summary.endpoint
      let microseconds = (MonotonicInstant.now().nanoseconds - start.nanoseconds) / 1_000
      times.count(endpoint, microseconds: microseconds)
      if logsRequests {
        log.write(
          .info, "request",
          [
            ("endpoint", .string(endpoint ?? "none")),
            ("method", .string(OutsideText.clean(request.method, limit: 16))),
            ("status", .number(response.status)), ("microseconds", .integer(microseconds)),
            ("address", .string(summary.address)),
          ])
      }
    }
    let first: Server.FirstHandler = { request, pending in
      let start = MonotonicInstant.now()
      guard mayPass(request.peer, isClear: isClear, proxies: proxies) else {
        let response = ServerResponse.plain(
          "Only through the proxy\n", status: 403, headers: ["Cache-Control": "no-store"])
        count(request, start, backend.summary(of: request), response)
        return .answer(response)
      }
      return backend.begin(request, pending) { summary, response in
        count(request, start, summary, response)
      }
    }
    return try Server(
      options: options, identity: identity, first: first, onUnsendable: { backend.couldNotSend($0, $1) })
  }
}
