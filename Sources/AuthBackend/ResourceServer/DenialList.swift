public import Basics
public import JOSE

/// Which access tokens are denied before they are over: by `jti` one, by `sid` all of a family. It is read from the
/// authorization server's store, or over the network by what it is given, and read again when it is older than a few seconds.
public final class DenialList: Sendable {
  private let fetch: @Sendable (Timestamp) throws(Failure) -> [String: Timestamp]
  private let freshSeconds: Int64
  private let staleSeconds: Int64
  private let state = Monitor(State())

  private struct State {
    var denied: [String: Timestamp] = [:]
    var readAt: Timestamp?
    var isReading = false
  }

  /// A list. `fetch` gets the ids that are denied at a moment, each with when that ends; it is called at most every `freshSeconds`
  /// seconds, with 0 for each token, by one thread at a time. When it fails, the last list counts for up to `staleSeconds`; after that no token is taken.
  public init(
    freshSeconds: Int64 = 5, staleSeconds: Int64 = 60,
    fetch: @escaping @Sendable (_ now: Timestamp) throws(Failure) -> [String: Timestamp]
  ) {
    self.fetch = fetch
    self.freshSeconds = max(0, freshSeconds)
    self.staleSeconds = max(freshSeconds, staleSeconds)
  }

  /// Refuses a token that is denied. Throws ``JOSE/TokenRefusal/Reason/denied``, or
  /// ``JOSE/TokenRefusal/Reason/denialsUnavailable`` when it cannot be told.
  public func check(_ token: AccessToken, now: Timestamp) throws(TokenRefusal) {
    let ids = [token.id, token.claims["sid"]?.string].compactMap { $0 }
    let known = try denied(now)
    guard ids.contains(where: { known[$0].map { now < $0 } ?? false }) else { return }
    throw TokenRefusal(.denied, "the token was revoked", hint: "sign in again")
  }

  private func denied(_ now: Timestamp) throws(TokenRefusal) -> [String: Timestamp] {
    let isMine = state.withLock(wake: .nobody) { state in
      // At 0 it is read each time: times are whole seconds, and a denial counts within the second that it was made in.
      let isFresh = freshSeconds > 0 && isYoung(state.readAt, now, freshSeconds)
      guard !isFresh, !state.isReading else { return false }
      state.isReading = true
      return true
    }
    if isMine {
      var fresh: [String: Timestamp]?
      do throws(Failure) { fresh = try fetch(now) } catch { fresh = nil }
      let read = fresh
      state.withLock { state in
        state.isReading = false
        if let read { (state.denied, state.readAt) = (read, now) }
      }
    }
    // A list that is a little old is used while another thread reads; only where there is none is that waited for.
    let usable: [String: Timestamp]?? = state.wait { state in
      if isYoung(state.readAt, now, staleSeconds) { return .some(state.denied) }
      return state.isReading ? nil : .some(nil)
    }
    guard let usable = usable ?? nil else {
      throw TokenRefusal(
        .denialsUnavailable, "it cannot be told whether the token was revoked", hint: "try again in a moment")
    }
    return usable
  }

  private func isYoung(_ readAt: Timestamp?, _ now: Timestamp, _ seconds: Int64) -> Bool {
    guard let readAt else { return false }
    return now.advanced(by: -seconds) <= readAt && readAt <= now.advanced(by: seconds)
  }
}

extension TokenRefusal.Reason {
  /// It, or all of its family, was revoked before its time.
  public static let denied = Self("denied")
  /// It cannot be told whether it was revoked.
  public static let denialsUnavailable = Self("denials-unavailable")
}
