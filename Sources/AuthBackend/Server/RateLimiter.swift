internal import Basics

/// How often something may be asked for: so many at once, and as many more in a minute, for each key. What nobody asked for in a
/// minute is forgotten, and at most `capacity` keys are known: then the ones that asked longest ago make room, so that a flood of
/// made-up keys costs no memory.
final class RateLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var at: MonotonicInstant
  }

  private let perMinute: Double
  private let capacity: Int
  private let clock: @Sendable () -> MonotonicInstant
  private let buckets = Monitor<[String: Bucket]>([:])

  init(
    perMinute: Int, capacity: Int = 100_000,
    clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicInstant.now() }
  ) {
    self.perMinute = Double(max(1, perMinute))
    self.capacity = max(1, capacity)
    self.clock = clock
  }

  /// Takes one from a key's share; nil when it may, otherwise in how many seconds it may again.
  func take(_ key: String) -> Int64? {
    let now = clock()
    return buckets.withLock(wake: .nobody) { buckets in
      if buckets[key] == nil, buckets.count >= capacity { forget(&buckets, now) }
      var bucket = filled(buckets[key] ?? Bucket(tokens: perMinute, at: now), now)
      let wait = wait(bucket)
      if wait == nil { bucket.tokens -= 1 }
      buckets[key] = bucket
      return wait
    }
  }

  /// How many keys it knows.
  var known: Int { buckets.withLock(wake: .nobody) { $0.count } }

  private func filled(_ bucket: Bucket, _ now: MonotonicInstant) -> Bucket {
    Bucket(tokens: min(perMinute, bucket.tokens + max(0, seconds(now, since: bucket.at)) * perMinute / 60), at: now)
  }

  private func wait(_ bucket: Bucket) -> Int64? {
    bucket.tokens < 1 ? Int64(((1 - bucket.tokens) * 60 / perMinute).rounded(.up)) : nil
  }

  // A quarter at a time, so that a flood does not sort the table at each of its requests.
  private func forget(_ buckets: inout [String: Bucket], _ now: MonotonicInstant) {
    buckets = buckets.filter { seconds(now, since: $0.value.at) < 60 }
    guard buckets.count >= capacity else { return }
    let oldest = buckets.sorted { $0.value.at < $1.value.at }.prefix(max(1, capacity / 4))
    for (key, _) in oldest { buckets[key] = nil }
  }

  private func seconds(_ now: MonotonicInstant, since then: MonotonicInstant) -> Double {
    Double(now.milliseconds(since: then)) / 1_000
  }
}
