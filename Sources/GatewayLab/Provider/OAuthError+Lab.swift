internal import HTTPServer
internal import OAuthHTTP

extension OAuthError {
  static let anotherClients = OAuthError(
    "invalid_client", "the token belongs to a client that has a secret", status: 401)
  static let serverError = OAuthError("server_error", "the provider cannot go on", status: 500)
}

/// A form, or the OAuth error that says why there is none.
func formFields(_ request: ServerRequest) throws(OAuthError) -> FormFields {
  do throws(FormFields.Fault) { return try FormFields(request) } catch { throw OAuthError(error) }
}

extension FormFields {
  /// Throws `invalid_request` when a field stands twice (RFC 6749 3.2).
  func checkOnce() throws(OAuthError) {
    guard repeated == nil else { throw .invalidRequest("a parameter stands twice") }
  }
}
