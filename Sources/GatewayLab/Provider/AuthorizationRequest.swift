internal import HTTPServer
internal import JOSE
internal import OAuthHTTP

/// What a client asks the authorization endpoint for (OpenID Connect Core 3.1.2.1 and 3.2.2.1, RFC 7636 4.3).
struct AuthorizationRequest {
  enum ResponseType: String, CaseIterable {
    case code
    case idToken = "id_token"
    case idTokenToken = "id_token token"

    /// The order of the words does not count.
    init?(words text: String) {
      let words = Set(text.split(separator: " "))
      guard let found = ResponseType.allCases.first(where: { Set($0.rawValue.split(separator: " ")) == words }) else {
        return nil
      }
      self = found
    }
  }

  let type: ResponseType
  let scopes: [String]
  let nonce: String?
  let challenge: String?
  let prompts: Set<String>
  let maximumAge: Int64?
  let hint: String?
  let idTokenHint: String?

  /// Reads a request whose client and redirect are known to be right. Throws the error to send there.
  init(_ query: [RequestTarget.QueryItem], requiresPKCE: Bool) throws(OAuthError) {
    func value(_ name: String) -> String? {
      query.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
    guard Set(query.map(\.name)).count == query.count else { throw .invalidRequest("a parameter stands twice") }
    if value("request") != nil { throw OAuthError("request_not_supported", "there are no request objects here") }
    if value("request_uri") != nil {
      throw OAuthError("request_uri_not_supported", "there are no request objects here")
    }
    guard let named = value("response_type") else { throw .invalidRequest("there is no response_type") }
    guard let type = ResponseType(words: named) else {
      throw OAuthError("unsupported_response_type", "this response type is not offered")
    }
    self.type = type
    switch value("response_mode") {
    case nil, "fragment": break
    case "query" where type == .code: break
    default: throw .invalidRequest("this response_mode is not offered for this response type")
    }
    scopes = (value("scope") ?? "").split(separator: " ").map(String.init).filter { ProviderCall.scopes.contains($0) }
    nonce = value("nonce")
    if type != .code {
      guard scopes.contains("openid") else { throw OAuthError("invalid_scope", "an ID token needs the scope openid") }
      guard nonce != nil else { throw .invalidRequest("this response type needs a nonce") }
    }
    challenge = try AuthorizationRequest.challenge(
      value("code_challenge"), method: value("code_challenge_method"), isRequired: requiresPKCE && type == .code)
    prompts = Set((value("prompt") ?? "").split(separator: " ").map(String.init))
    guard prompts.isSubset(of: ProviderCall.prompts), !prompts.contains("none") || prompts.count == 1 else {
      throw .invalidRequest("this prompt cannot be done")
    }
    if let age = value("max_age") {
      guard let seconds = Int64(age), seconds >= 0 else { throw .invalidRequest("max_age is no number of seconds") }
      maximumAge = seconds
    } else {
      maximumAge = nil
    }
    hint = value("login_hint")
    idTokenHint = value("id_token_hint")
  }

  private static func challenge(
    _ challenge: String?, method: String?, isRequired: Bool
  ) throws(OAuthError) -> String? {
    guard let challenge else {
      if isRequired || method != nil { throw .invalidRequest("there is no code_challenge (RFC 7636)") }
      return nil
    }
    // Left out, the method means plain (RFC 7636 4.3), which protects nothing here.
    guard method == "S256" else { throw .invalidRequest("the code_challenge_method must be S256") }
    guard Base64URL.decode(challenge)?.count == 32 else { throw .invalidRequest("the code_challenge is none of S256") }
    return challenge
  }
}
