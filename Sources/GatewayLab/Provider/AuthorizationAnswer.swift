internal import Basics
internal import HTTPServer
internal import OAuthHTTP

/// Where the answer of the authorization endpoint goes, and how it is written there (RFC 6749 4.1.2, OAuth 2.0 Multiple
/// Response Type Encoding Practices, RFC 9207).
struct AuthorizationAnswer {
  let redirect: String
  let state: String?
  let inFragment: Bool

  init(_ query: [RequestTarget.QueryItem], redirect: String) {
    self.redirect = redirect
    state = query.first { $0.name == "state" }?.value
    // Also for a request that cannot be read: the client looks where it asked for the answer.
    let type = query.first { $0.name == "response_type" }?.value ?? ""
    let mode = query.first { $0.name == "response_mode" }?.value
    inFragment = mode == "fragment" || type.split(separator: " ").contains { $0 == "id_token" || $0 == "token" }
  }

  /// The address of the answer. `issuer` is nil when it is not to be named.
  func address(
    _ parameters: [(name: String, value: String)], issuer: String?, _ fault: ProviderFault?
  ) -> String {
    var parameters = parameters
    var state = state, issuer = issuer
    switch fault?.kind {
    case .accessDenied: parameters = [("error", "access_denied"), ("error_description", "the person said no")]
    case .accessDeniedWithoutState:
      parameters = [("error", "access_denied"), ("error_description", "the person said no")]
      state = nil
    case .wrongState: state = Hexadecimal.encode(randomBytes(16))
    case .noState: state = nil
    case .noIssuer: issuer = nil
    case .wrongIssuer: issuer = fault?.location
    default: break
    }
    if let state { parameters.append(("state", state)) }
    if let issuer { parameters.append(("iss", issuer)) }
    let mark = inFragment ? "#" : redirect.contains("?") ? "&" : "?"
    return redirect + mark + queryText(parameters)
  }
}
