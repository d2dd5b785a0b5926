internal import Basics
internal import StrategyKit

// What errors of OAuth mean. The texts a server sends beside them are for developers: they are cleaned and quoted.
extension StrategyError {
  /// The error of an authorization response (RFC 6749 4.1.2.1, OpenID Connect Core 3.1.2.6).
  static func authorization(_ error: String, _ description: String?) -> StrategyError {
    let text = quoted(error, description)
    switch error {
    case "access_denied": return StrategyError(.cancelled, "The sign-in was refused at the identity provider\(text).")
    case "login_required", "interaction_required", "consent_required", "account_selection_required":
      return StrategyError(.interactionNeeded, "The identity provider asks for a person\(text).")
    case "server_error", "temporarily_unavailable":
      return StrategyError(.server, "The identity provider has trouble of its own\(text).")
    case "unauthorized_client":
      return StrategyError(
        .refused,
        "The identity provider does not let this client sign in like this: register the client there for the grant "
          + "authorization_code (for oidc_implicit: implicit)\(text).")
    default: return StrategyError(.refused, "The identity provider refuses the request\(text).")
    }
  }

  /// Whether it is about the kind of grant that was asked for: this client may not use it, or nobody can (RFC 6749 5.2).
  var isOfGrant: Bool { code == "unauthorized_client" || code == "unsupported_grant_type" }

  /// An answer of the token endpoint, or of another that a client talks to, that is no success (RFC 6749 5.2). `rejects`
  /// says what a rejected grant means: a code that is none, or credentials that are gone. `grant` is the `grant_type` that was
  /// asked for, where one was.
  static func endpoint(
    _ response: HTTPResponse, rejects reason: Reason, grant: String? = nil, _ host: Host
  ) throws(StrategyError) -> StrategyError {
    let status = response.status
    let body = JSON(response.body)
    let error = body?["error"]?.text
    let text = error.map { quoted($0, body?["error_description"]?.text) } ?? ""
    switch status {
    case 408, 425, 429, 500...:
      return StrategyError(
        .server, "The identity provider answered HTTP \(status)\(text).", status: status,
        retryAfter: try host.retryAfter(response), code: error)
    case 300..<400:
      return StrategyError(.refused, "The identity provider redirects, which is not followed.", status: status)
    default: break
    }
    switch error {
    case "unauthorized_client" where grant != nil:
      return StrategyError(
        .refused,
        "The identity provider does not let this client use the grant \(grant ?? ""): register the client for it there\(text).",
        status: status, code: error)
    case "unsupported_grant_type" where grant != nil:
      return StrategyError(
        .refused, "The identity provider does not have the grant \(grant ?? "")\(text).", status: status, code: error)
    case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request":
      // The grant itself may be as good as before: what is wrong is how this client is set up.
      return StrategyError(.refused, "The identity provider refuses this client\(text).", status: status, code: error)
    // An answer without a word is how some reject a refresh token (glewlwyd).
    case nil where status == 400 || status == 401, "invalid_grant", "invalid_code", "access_denied", "expired_token":
      return StrategyError(reason, "The identity provider rejected the grant\(text).", status: status, code: error)
    default:
      return StrategyError(
        .refused, "The identity provider answered HTTP \(status)\(text).", status: status, code: error)
    }
  }

  private static func quoted(_ error: String, _ description: String?) -> String {
    let detail = description.map { ": \(OutsideText.clean($0, limit: 200))" } ?? ""
    return " (\(OutsideText.clean(error, limit: 60))\(detail))"
  }
}
