internal import Basics
internal import HTTPServer

/// An error as OAuth says it (RFC 6749 4.1.2.1 and 5.2, RFC 8628 3.5, OpenID Connect Core 3.1.2.6).
struct OAuthError: Error {
  let code: String
  let text: String
  var status = 400
  /// `WWW-Authenticate`; nil for none.
  var challenge: String?
  var hasBody = true

  init(_ code: String, _ text: String, status: Int = 400, challenge: String? = nil) {
    self.code = code
    self.text = text
    self.status = status
    self.challenge = challenge
  }

  static func invalidRequest(_ text: String) -> OAuthError { OAuthError("invalid_request", text) }
  static func invalidGrant(_ text: String) -> OAuthError { OAuthError("invalid_grant", text) }
  static let anotherClients = OAuthError(
    "invalid_client", "the token belongs to a client that has a secret", status: 401)
  static let serverError = OAuthError("server_error", "the provider cannot go on", status: 500)

  /// The answer of an endpoint that programs talk to.
  var response: ServerResponse {
    var headers: HeaderFields = ["Cache-Control": "no-store", "Pragma": "no-cache"]
    if let challenge { headers.add("WWW-Authenticate", challenge) }
    guard hasBody else { return ServerResponse(status: status, headers: headers) }
    headers.add("Content-Type", "application/json")
    let body: JSONValue = ["error": .string(code), "error_description": .string(text)]
    return ServerResponse(status: status, headers: headers, text: body.text)
  }
}
