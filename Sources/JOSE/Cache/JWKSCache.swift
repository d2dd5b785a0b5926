public import Basics

/// An issuer's keys, fetched when they are needed and kept: for many threads, with one fetch at a time.
///
/// - An answer is fresh for its `max-age`, held between 5 minutes and 24 hours; an hour when it does not say.
/// - A token with an unknown key id, or whose signature no key made, has the keys fetched anew, but at most once in
///   60 seconds, so that made-up ids cannot be used to flood the issuer. A key id that a fetch has shown to be
///   unknown asks for no other fetch for 2 minutes, or until the keys have changed; 64 of these are remembered.
/// - When a fetch fails, the keys from before stay in use, up to 7 days old; while there are none, it is tried again
///   after 10 seconds.
/// - A clock that is set back makes the keys count as old.
public final class JWKSCache: JSONWebKeySource, Sendable {
  /// Seconds between two fetches that tokens ask for.
  public static let cooldown: Int64 = 60
  /// Seconds after a failed fetch while there are no keys at all.
  public static let retry: Int64 = 10
  /// The least seconds that keys are fresh.
  public static let minimumAge: Int64 = 300
  /// The most seconds that keys are fresh.
  public static let maximumAge: Int64 = 86_400
  /// Seconds that keys are fresh when the answer does not say.
  public static let usualAge: Int64 = 3_600
  /// The age in seconds from which keys are not used, even when no others can be fetched.
  public static let staleAge: Int64 = 604_800
  /// Seconds that an unknown key id is remembered.
  public static let absentAge: Int64 = 120
  /// The most unknown key ids that are remembered.
  public static let absentLimit = 64

  private let state = Monitor(KeyCacheState())
  private let clock: @Sendable () -> Timestamp
  private let fetch: @Sendable () throws(Failure) -> FetchedKeys

  /// An empty cache. `fetch` gets the set of keys from the issuer's `jwks_uri` (a 200 answer's body, no redirect to
  /// another origin); it blocks the threads that need its answer. `clock` is the wall clock.
  public init(
    clock: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
    fetch: @escaping @Sendable () throws(Failure) -> FetchedKeys
  ) {
    self.clock = clock
    self.fetch = fetch
  }

  /// The keys that may have signed a token, fetched first when that is called for.
  public func keys(for header: JWSHeader) throws(TokenRefusal) -> [JSONWebKey] {
    var didFetch = false
    while true {
      let step = state.wait { $0.step(header, now: self.clock(), didFetch: didFetch) }
      switch step {
      case .found(let keys): return keys
      case .refused(let refusal): throw refusal
      case .fetch:
        refresh()
        didFetch = true
      }
    }
  }

  /// Keys that have come since: an issuer may have changed its key under the same id.
  public func newerKeys(for header: JWSHeader, tried: [JSONWebKey]) -> [JSONWebKey] {
    let mayFetch = state.wait { state -> Bool? in state.isFetching ? nil : state.take(self.clock()) }
    if mayFetch { refresh() }
    let set = state.wait { state -> JSONWebKeySet? in state.set ?? JSONWebKeySet([]) }
    let candidates = (try? set.keys(for: header)) ?? []
    return candidates.filter { key in !tried.contains { $0.material === key.material } }
  }

  // The fetch has begun in the state.
  private func refresh() {
    let result: Result<FetchedKeys, Failure>
    do throws(Failure) { result = .success(try fetch()) } catch { result = .failure(error) }
    let now = clock()
    state.withLock { $0.finish(result, now: now) }
  }
}
