internal import Basics

extension TokenRefusal {
  static func unknownKey(_ id: String?, in set: JSONWebKeySet) -> TokenRefusal {
    let left = set.skipped.isEmpty ? "" : "; \(set.skipped.count) others cannot be used: \(set.skipped[0])"
    guard let id else {
      return TokenRefusal(.unknownKey, "the issuer publishes no key that can be used\(left)")
    }
    return TokenRefusal(
      .unknownKey,
      "none of the issuer's \(set.keys.count) keys has the token's key id '\(OutsideText.clean(id, limit: 64))'\(left)",
      hint: "is the token from this issuer? A key that the issuer has just added is found within a minute")
  }

  static func unsuitableKey(_ objection: String) -> TokenRefusal {
    TokenRefusal(.unsuitableKey, "the issuer's key must not verify this token: \(objection)")
  }

  static func ambiguousKey(_ count: Int) -> TokenRefusal {
    TokenRefusal(
      .ambiguousKey,
      "the token names no key, and \(count) of the issuer's keys fit it, more than \(JSONWebKeySet.maximumTries)",
      hint: "have the issuer put 'kid' in its tokens")
  }
}
