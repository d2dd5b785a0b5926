internal import Basics

/// How the dates of a token are held against the clock here.
///
/// There is one leeway for all of them, because they guard against the same thing: two clocks that differ. There is
/// no bound on how long ago a token may have been issued: AppAuth for iOS had one of minutes and refused valid tokens
/// of a provider that dates them back.
public enum TokenTime {
  /// By how many seconds the clocks of the issuer and of this machine may differ: 60. A clock set by a network is a
  /// second off at most, one set by a mobile network or by hand some tens of seconds, and no token is issued for less
  /// than a minute; a larger leeway would keep tokens alive for those who found them, and cannot cure a clock that is
  /// wrong by an hour.
  public static let leeway: Int64 = 60

  static func check(_ claims: TokenClaims, now: Timestamp, leeway: Int64) throws(TokenRefusal) -> Dates {
    let expires = try claims.date("exp"), issued = try claims.date("iat"), start = try claims.optionalDate("nbf")
    // The start first: a token that is both expired and not yet issued tells of a clock that is behind.
    guard issued <= now.advanced(by: leeway) else { throw .early(.issuedInFuture, "was issued", issued, now) }
    if let start, start > now.advanced(by: leeway) { throw .early(.notYetValid, "is valid from", start, now) }
    guard now < expires.advanced(by: leeway) else { throw .expired(expires, issued: issued, now: now) }
    return Dates(issued: issued, expires: expires)
  }

  struct Dates {
    let issued: Timestamp
    let expires: Timestamp
  }
}

extension TokenRefusal {
  static func early(_ reason: Reason, _ what: String, _ moment: Timestamp, _ now: Timestamp) -> TokenRefusal {
    let ahead = TimeSpan.words(TokenRefusal.span(from: now, to: moment))
    return TokenRefusal(
      reason,
      "by the clock here (\(now)) the token \(what) \(ahead) from now (\(moment)): "
        + "this clock is behind the issuer's by at least \(ahead)",
      hint: "check the date and time of this device")
  }

  static func expired(_ expires: Timestamp, issued: Timestamp, now: Timestamp) -> TokenRefusal {
    let past = TimeSpan.words(TokenRefusal.span(from: expires, to: now))
    let age = TimeSpan.words(TokenRefusal.span(from: issued, to: now))
    return TokenRefusal(
      .expired, "by the clock here (\(now)) the token expired \(past) ago (\(expires)) and was issued \(age) ago",
      hint:
        "get a new one; if it was issued just now, this clock is ahead of the issuer's by about \(age): "
        + "check the date and time of this device"
    )
  }

  static func span(from start: Timestamp, to end: Timestamp) -> Int64 {
    let (span, overflow) = end.seconds.subtractingReportingOverflow(start.seconds)
    return overflow ? .max : span
  }
}
