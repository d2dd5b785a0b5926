internal import Basics

/// Counts for an operator (the text format of Prometheus, version 0.0.4).
final class Metrics: Sendable {
  private struct Answer: Hashable {
    let endpoint: Endpoint?
    let status: Int

    var labels: String { "endpoint=\"\(endpoint?.name ?? "none")\",status=\"\(status)\"" }
  }

  private struct Counts {
    var responses: [Answer: Int64] = [:]
    var events: [String: Int64] = [:]
  }

  private let counts = Monitor(Counts())

  func count(_ endpoint: Endpoint?, _ status: Int) {
    counts.withLock(wake: .nobody) { $0.responses[Answer(endpoint: endpoint, status: status), default: 0] += 1 }
  }

  /// Names are ours, so there are few of them.
  func event(_ name: String) { counts.withLock(wake: .nobody) { $0.events[name, default: 0] += 1 } }

  /// All of them, in order of their names.
  var text: String {
    let counts = counts.withLock(wake: .nobody) { $0 }
    var out = "# HELP mfs_responses_total Answers by endpoint and status.\n# TYPE mfs_responses_total counter\n"
    for (key, count) in counts.responses.map({ ($0.labels, $1) }).sorted(by: { $0.0 < $1.0 }) {
      out += "mfs_responses_total{\(key)} \(count)\n"
    }
    out += "# HELP mfs_events_total Events by name, as in the audit log.\n# TYPE mfs_events_total counter\n"
    for (name, count) in counts.events.sorted(by: { $0.key < $1.key }) {
      out += "mfs_events_total{event=\"\(name)\"} \(count)\n"
    }
    return out
  }
}
