public import AuthBackend
public import Basics
public import HTTPClient
internal import SecureMemory

/// Where alerts are sent.
public struct WebhookSettings: Sendable {
  /// The address; often a secret by itself.
  public let url: HTTPURL
  /// Hosts that may have addresses of this machine or of a private network.
  public let allowedHosts: Set<String>
  /// A PEM file of the only authorities to trust; nil for the system's.
  public let authorities: String?

  /// Where alerts are sent.
  public init(url: HTTPURL, allowedHosts: Set<String> = [], authorities: String? = nil) {
    (self.url, self.allowedHosts, self.authorities) = (url, allowedHosts, authorities)
  }

  var isListed: Bool { allowedHosts.contains(url.origin.host) }
}

/// Sends alerts, one after the other, on a thread of its own: who raises one never waits. At most ``capacity`` wait; more are dropped
/// and counted, so that a flood of alerts costs no memory. Some of the places are for urgent ones alone, which are also sent first, and when
/// no place is left take those of others; of them a user's own are few, and give way to another's when there are no others.
public final class Webhook: Sendable {
  /// How many alerts may wait.
  public static let capacity = 256
  /// How many of those places only urgent ones take.
  public static let kept = 64
  /// How many urgent ones about one user may wait.
  public static let perUser = 8
  /// How often one is tried, with a pause before each further time that doubles from ``firstPause``.
  static let tries = 6
  /// How many seconds after the first try the second one comes.
  static let firstPause: Double = 1

  private static let privateText =
    "private addresses are refused unless the host is listed (MFS_AUTHD_WEBHOOK_ALLOWED_HOSTS)"

  private struct State {
    var urgent: [(user: String?, document: JSONValue)] = []
    var waiting: [JSONValue] = []
    var isBusy = false
    var stopBy: MonotonicInstant?
    var sent: Int64 = 0
    var failed: Int64 = 0
    var dropped: Int64 = 0
    var thread: Thread?

    var isFull: Bool { urgent.count + waiting.count >= Webhook.capacity }

    /// Whether an alert has a place; one that gives way to it is dropped.
    mutating func hasPlace(_ event: BackendEvent) -> Bool {
      guard event.isUrgent else { return !isFull && waiting.count < Webhook.capacity - Webhook.kept }
      // Those without a user are of the server's own trouble, which nobody else can raise at will.
      let counts = Dictionary(urgent.compactMap { one in one.user.map { ($0, 1) } }, uniquingKeysWith: +)
      let own = event.user.flatMap { counts[$0] } ?? 0
      guard own < Webhook.perUser else { return false }
      guard isFull else { return true }
      if waiting.popLast() == nil {
        guard let most = counts.max(by: { $0.value < $1.value }), most.value > own + 1,
          let newest = urgent.lastIndex(where: { $0.user == most.key })
        else { return false }
        urgent.remove(at: newest)
      }
      dropped += 1
      return true
    }
  }

  private let settings: WebhookSettings
  private let issuer: String
  private let log: ServiceLog
  private let firstPause: Double
  private let state = Monitor(State())

  /// Starts the thread.
  public convenience init(_ settings: WebhookSettings, issuer: String, log: ServiceLog) throws(Failure) {
    try self.init(settings, issuer: issuer, log: log, firstPause: Webhook.firstPause)
  }

  init(_ settings: WebhookSettings, issuer: String, log: ServiceLog, firstPause: Double) throws(Failure) {
    (self.settings, self.issuer, self.log, self.firstPause) = (settings, issuer, log, firstPause)
    let thread = try Thread { [self] in work() }
    state.withLock { $0.thread = thread }
  }

  /// Has an alert sent.
  public func send(_ event: BackendEvent) {
    let fields = event.fields.map { JSONValue.Member($0.name, .string($0.value)) }
    let words = event.fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    let document: JSONValue = [
      "event": .string(event.name), "at": .string(event.at.rfc3339), "issuer": .string(issuer),
      "text": .string("\(issuer): \(event.name): \(words)"), "fields": .object(fields),
    ]
    state.withLock { state in
      guard state.stopBy == nil, state.hasPlace(event) else {
        state.dropped += 1
        return
      }
      if event.isUrgent { state.urgent.append((event.user, document)) } else { state.waiting.append(document) }
    }
  }

  /// Sends what waits, each once more at most, for so many seconds, and ends the thread.
  public func stop(within seconds: Double) {
    let thread = state.withLock { state in
      state.stopBy = .now().advanced(bySeconds: seconds)
      defer { state.thread = nil }
      return state.thread
    }
    thread?.join()
  }

  /// Counts in the text format of Prometheus.
  var metrics: String {
    let (sent, failed, dropped, waiting) = state.withLock(wake: .nobody) {
      ($0.sent, $0.failed, $0.dropped, $0.urgent.count + $0.waiting.count + ($0.isBusy ? 1 : 0))
    }
    return """
      # HELP mfs_webhook_alerts_total Alerts by what became of them.
      # TYPE mfs_webhook_alerts_total counter
      mfs_webhook_alerts_total{outcome="sent"} \(sent)
      mfs_webhook_alerts_total{outcome="failed"} \(failed)
      mfs_webhook_alerts_total{outcome="dropped"} \(dropped)
      # HELP mfs_webhook_waiting Alerts that wait to be sent.
      # TYPE mfs_webhook_waiting gauge
      mfs_webhook_waiting \(waiting)

      """
  }

  private func work() {
    // Said at the start, and not by the first alert that is lost.
    if !settings.isListed, settings.url.origin.reach(asking: true) == .isPrivate {
      log.write(.error, "webhook.private", [("reason", .string(Webhook.privateText))])
    }
    while let document = next() {
      let isSent = deliver(document)
      state.withLock { state in
        state.isBusy = false
        if isSent { state.sent += 1 } else { state.failed += 1 }
      }
    }
  }

  private func next() -> JSONValue? {
    state.wait { state -> JSONValue?? in
      let count = state.urgent.count + state.waiting.count
      if let stopBy = state.stopBy, count == 0 || stopBy.millisecondsLeft == 0 {
        state.dropped += Int64(count)
        (state.urgent, state.waiting) = ([], [])
        return .some(nil)
      }
      guard count > 0 else { return nil }
      state.isBusy = true
      return .some(state.urgent.isEmpty ? state.waiting.removeFirst() : state.urgent.removeFirst().document)
    } ?? nil
  }

  private func deliver(_ document: JSONValue) -> Bool {
    var reason = "", tries = 0
    for number in 1...Webhook.tries {
      tries = number
      switch post(document) {
      case .sent: return true
      case .refused(let why):
        log.write(.error, "webhook.failed", [("reason", .string(why)), ("tries", .number(number))])
        return false
      case .trouble(let why): reason = why
      }
      let pause = MonotonicInstant.now().advanced(bySeconds: firstPause * Double(1 << (number - 1)))
      let isStopping = number < Webhook.tries && state.wait(until: pause) { $0.stopBy != nil ? true : nil } ?? false
      if isStopping { break }
    }
    log.write(.error, "webhook.failed", [("reason", .string(reason)), ("tries", .number(tries))])
    return false
  }

  private enum Outcome {
    case sent
    /// Another try would be no better.
    case refused(String)
    case trouble(String)
  }

  private func post(_ document: JSONValue) -> Outcome {
    var client = HTTPClient()
    client.agent = Backend.agent
    client.connectTimeout = 3_000
    client.timeout = 5_000
    client.bodyLimit = 64 << 10
    client.authorities = settings.authorities
    client.addresses = settings.isListed ? .any : .publicOnly
    do {
      var request = HTTPRequest(.post, settings.url, fields: [.init("Content-Type", "application/json")])
      request.body = SecureBox(try SecureBytes(publicText: document.text))
      let status = try client.send(request).status
      switch status {
      case 200..<300: return .sent
      case 408, 429, 500...: return .trouble("status \(status)")
      default: return .refused("status \(status)")
      }
    } catch {
      // The text of a failure may have the address, which may be a secret.
      let kind = (error as? HTTPFailure).map { "\($0.kind)" } ?? "memory"
      return .trouble(settings.isListed ? kind : "\(kind); \(Webhook.privateText)")
    }
  }
}
