public import JOSE

/// Why a resource server does not answer a request, as it answers instead (RFC 6750 3).
public struct ResourceRefusal: Error, Equatable, Sendable {
  /// The status of the answer: 400, 401, 403 or 503.
  public let status: Int
  /// `error` of RFC 6750 3.1; nil where the request had no token at all, and for 503.
  public let error: String?
  /// The value of `WWW-Authenticate`; nil for 503.
  public let authenticate: String?
  /// Why the token was refused, for the log; nil when it was not the token.
  public let reason: TokenRefusal.Reason?
  /// The same in words, for the log alone, with what to do about it where that is known; nil when it was not the token.
  public let detail: String?

  /// The request has no token: the challenge tells no error (RFC 6750 3.1), and has a realm because it must have a parameter (3).
  static let noToken = ResourceRefusal(401, nil, "Bearer realm=\"oauth\"", nil)
  /// The header is of no form that is taken.
  static let malformed = ResourceRefusal(400, "invalid_request", "Bearer error=\"invalid_request\"", nil)

  /// The token is refused. What it says is not repeated, and neither is what is wrong with it: that is for the log.
  init(_ refusal: TokenRefusal) {
    if refusal.reason == .keysUnavailable || refusal.reason == .denialsUnavailable {
      self.init(503, nil, nil, refusal.reason, refusal.description)
    } else {
      self.init(401, "invalid_token", "Bearer error=\"invalid_token\"", refusal.reason, refusal.description)
    }
  }

  /// The token is good and does not reach so far. `scopes` are those that would.
  init(missing scopes: [String]) {
    // RFC 6749 3.3 has no quote and no backslash in a scope.
    let text = scopes.joined(separator: " ").filter {
      $0.isASCII && $0 >= " " && $0 != "\"" && $0 != "\\" && $0 != "\u{7F}"
    }
    self.init(403, "insufficient_scope", "Bearer error=\"insufficient_scope\", scope=\"\(text)\"", nil)
  }

  private init(
    _ status: Int, _ error: String?, _ authenticate: String?, _ reason: TokenRefusal.Reason?, _ detail: String? = nil
  ) {
    (self.status, self.error, self.authenticate) = (status, error, authenticate)
    (self.reason, self.detail) = (reason, detail)
  }
}
