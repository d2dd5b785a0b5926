internal import Basics

/// What a ``JWKSCache`` holds, and what it decides; pure, with the time as an argument.
struct KeyCacheState {
  /// What a lookup does next.
  enum Step {
    case found([JSONWebKey])
    case refused(TokenRefusal)
    case fetch
  }

  private(set) var set: JSONWebKeySet?
  private(set) var isFetching = false
  private var document: [UInt8] = []
  private var fetched = Timestamp(seconds: .min)
  private var freshFor: Int64 = 0
  private var lastAttempt: Timestamp?
  private var lastFailure: Failure?
  // Key ids that a fetch has shown to be unknown, oldest first.
  private var absent: [(id: String, since: Timestamp)] = []

  /// The next step of a lookup; nil to wait for the fetch under way. After a fetch of its own a lookup asks for no
  /// other.
  mutating func step(_ header: JWSHeader, now: Timestamp, didFetch: Bool) -> Step? {
    let found = lookUp(header, now: now)
    if age(now) < freshFor {
      guard case .refused(let refusal)? = found, refusal.reason != .ambiguousKey else { return found }
      if didFetch { remember(header.keyID, now) }
      if didFetch || isAbsent(header.keyID, now) { return found }
      if isFetching { return nil }
      return take(now) ? .fetch : found
    }
    if isFetching {
      // Old keys are better than waiting.
      if case .found? = found { return found }
      return nil
    }
    if !didFetch, take(now) { return .fetch }
    return found ?? .refused(unavailable)
  }

  /// Whether a fetch may begin now; if so it has begun.
  mutating func take(_ now: Timestamp) -> Bool {
    guard !isFetching else { return false }
    if let lastAttempt {
      let since = TokenRefusal.span(from: lastAttempt, to: now)
      let pause = set == nil ? JWKSCache.retry : JWKSCache.cooldown
      // A clock that was set back starts anew.
      if since >= 0, since < pause { return false }
    }
    isFetching = true
    lastAttempt = now
    return true
  }

  mutating func finish(_ result: Result<FetchedKeys, Failure>, now: Timestamp) {
    isFetching = false
    lastAttempt = now
    do throws(Failure) {
      let answer = try result.get()
      if set == nil || answer.bytes != document {
        set = try JSONWebKeySet(json: answer.bytes)
        document = answer.bytes
        absent = []
      }
      fetched = now
      freshFor = min(max(answer.maximumAge ?? JWKSCache.usualAge, JWKSCache.minimumAge), JWKSCache.maximumAge)
      lastFailure = nil
    } catch { lastFailure = error }
  }

  // Nil when there are no keys that are young enough.
  private func lookUp(_ header: JWSHeader, now: Timestamp) -> Step? {
    guard let set, age(now) < JWKSCache.staleAge else { return nil }
    do throws(TokenRefusal) { return .found(try set.keys(for: header)) } catch { return .refused(error) }
  }

  private func age(_ now: Timestamp) -> Int64 {
    guard set != nil, fetched <= now else { return .max }
    return TokenRefusal.span(from: fetched, to: now)
  }

  private var unavailable: TokenRefusal {
    let why = lastFailure.map { ": \($0.message)" } ?? ""
    return TokenRefusal(.keysUnavailable, "the issuer's keys could not be fetched\(why)", hint: "try again later")
  }

  private func isAbsent(_ id: String?, _ now: Timestamp) -> Bool {
    guard let id else { return false }
    return absent.contains {
      let since = TokenRefusal.span(from: $0.since, to: now)
      return $0.id.isExactly(id) && since >= 0 && since < JWKSCache.absentAge
    }
  }

  private mutating func remember(_ id: String?, _ now: Timestamp) {
    guard let id, lastFailure == nil else { return }
    absent.removeAll { $0.id.isExactly(id) }
    absent.append((id, now))
    if absent.count > JWKSCache.absentLimit { absent.removeFirst() }
  }
}
