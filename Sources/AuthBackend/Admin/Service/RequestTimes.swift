internal import Basics

/// How long requests took, by endpoint: a histogram of Prometheus.
final class RequestTimes: Sendable {
  /// Upper bounds in milliseconds.
  static let bounds: [Int64] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

  private struct Times {
    var counts = [Int64](repeating: 0, count: bounds.count)
    var total: Int64 = 0
    var microseconds: Int64 = 0
  }

  private let times = Monitor<[String: Times]>([:])

  func count(_ endpoint: String?, microseconds: Int64) {
    times.withLock(wake: .nobody) { times in
      var one = times[endpoint ?? "none"] ?? Times()
      if let place = RequestTimes.bounds.firstIndex(where: { microseconds <= $0 * 1_000 }) { one.counts[place] += 1 }
      one.total += 1
      one.microseconds += microseconds
      times[endpoint ?? "none"] = one
    }
  }

  var text: String {
    let times = times.withLock(wake: .nobody) { $0 }
    var out = "# HELP mfs_request_seconds How long requests took.\n# TYPE mfs_request_seconds histogram\n"
    for (endpoint, one) in times.sorted(by: { $0.key < $1.key }) {
      var sum: Int64 = 0
      for (bound, count) in zip(RequestTimes.bounds, one.counts) {
        sum += count
        out += "mfs_request_seconds_bucket{endpoint=\"\(endpoint)\",le=\"\(Double(bound) / 1_000)\"} \(sum)\n"
      }
      out += "mfs_request_seconds_bucket{endpoint=\"\(endpoint)\",le=\"+Inf\"} \(one.total)\n"
      out += "mfs_request_seconds_sum{endpoint=\"\(endpoint)\"} \(Double(one.microseconds) / 1_000_000)\n"
      out += "mfs_request_seconds_count{endpoint=\"\(endpoint)\"} \(one.total)\n"
    }
    return out
  }
}
