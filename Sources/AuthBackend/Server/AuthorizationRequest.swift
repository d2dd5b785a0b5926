internal import BackendStore
internal import Basics
internal import HTTPClient
internal import OAuthHTTP

/// What a client asks for at `/authorize` (RFC 6749 4.1.1, RFC 7636 4.3, OpenID Connect Core 3.1.2.1), checked.
struct AuthorizationRequest {
  /// What is asked of the person.
  enum Prompt: String {
    case none, login, consent, select_account
  }

  /// More bytes than the `state` of any app has.
  static let stateLimit = 2_048

  let client: Client
  let redirectURI: String
  let state: String?
  let scopes: [String]
  let nonce: String?
  let challenge: String
  let device: String?
  let prompts: Set<Prompt>
  let maximumAge: Int64?
  let loginHint: String?
  let idTokenHint: String?

  /// Whether the answer goes to an address that only the app it is registered for can get it at: one of https, which the system proved
  /// to be the app's (RFC 8252 7.2). A scheme of its own, or a port of the device's, any program can take.
  var isAtClaimedAddress: Bool {
    HTTPURL(redirectURI).map { $0.origin.scheme == "https" && !$0.isLoopback } ?? false
  }

  /// What goes back to the client as an error, at a redirect URI that was checked.
  struct Refusal: Error {
    let redirectURI: String
    let state: String?
    let error: OAuthError
    /// What the browser gets, whoever asked for what: somebody has signed in in it.
    var cookies: [String] = []
  }

  /// Where an answer may go and whose it is; what is wrong here is told the person, never sent anywhere (RFC 6749 4.1.2.1).
  static func destination(
    _ parameters: Parameters, client find: (String) throws -> Client?
  ) throws -> (client: Client, redirectURI: String) {
    for name in ["client_id", "redirect_uri"] where parameters.isRepeated(name) {
      throw OAuthError.invalidRequest("The request names more than one \(name).")
    }
    guard let id = parameters["client_id"] else {
      throw OAuthError.invalidRequest("The request does not say which app it is from.")
    }
    guard let client = try find(id), client.isEnabled else {
      throw OAuthError("invalid_client", "The app that asks is not registered here.")
    }
    guard let redirectURI = parameters["redirect_uri"] else {
      throw OAuthError.invalidRequest("The request does not say where the answer should go.")
    }
    guard RedirectRule.allows(redirectURI, registered: client.redirectURIs) else {
      throw OAuthError.invalidRequest("The answer would go to an address that is not registered for this app.")
    }
    // It must come back as it is, and an answer's header has no room for it.
    guard (parameters["state"]?.utf8.count ?? 0) <= stateLimit else {
      throw OAuthError.invalidRequest("The request's state is too long.")
    }
    return (client, redirectURI)
  }

  /// Checks the rest. Throws ``Refusal``.
  init(_ parameters: Parameters, client: Client, redirectURI: String) throws(Refusal) {
    let state = parameters["state"]
    func refuse(_ error: OAuthError) -> Refusal { Refusal(redirectURI: redirectURI, state: state, error: error) }
    func refuse(_ code: String, _ text: String) -> Refusal { refuse(OAuthError(code, text)) }
    if let repeated = parameters.repeated {
      throw refuse("invalid_request", "the parameter '\(OutsideText.clean(repeated, limit: 40))' stands twice")
    }
    guard parameters["request"] == nil else { throw refuse("request_not_supported", "request objects are not read") }
    guard parameters["request_uri"] == nil else {
      throw refuse("request_uri_not_supported", "request objects are not read")
    }
    guard let type = parameters["response_type"] else { throw refuse("invalid_request", "response_type is missing") }
    guard type == "code" else { throw refuse("unsupported_response_type", "the one response_type is code") }
    guard parameters["response_mode"].map({ $0 == "query" }) ?? true else {
      throw refuse("invalid_request", "the one response_mode is query")
    }
    guard client.grants.contains("authorization_code") else {
      throw refuse("unauthorized_client", "this client is not registered for the grant authorization_code")
    }
    guard let challenge = parameters["code_challenge"] else {
      throw refuse("invalid_request", "code_challenge is missing: this server asks for PKCE")
    }
    guard parameters["code_challenge_method"] == "S256" else {
      throw refuse("invalid_request", "the one code_challenge_method is S256, and it must be named")
    }
    guard PKCE.isChallenge(challenge) else {
      throw refuse("invalid_request", "code_challenge is no SHA-256 in base64url (43 characters)")
    }
    let scopes: [String]
    do throws(OAuthError) { scopes = try client.scopes(askedFor: parameters["scope"]) } catch { throw refuse(error) }
    var prompts: Set<Prompt> = []
    for word in (parameters["prompt"] ?? "").split(separator: " ") {
      guard let prompt = Prompt(rawValue: String(word)) else {
        throw refuse("invalid_request", "prompt has an unknown word")
      }
      prompts.insert(prompt)
    }
    guard !prompts.contains(.none) || prompts.count == 1 else {
      throw refuse("invalid_request", "prompt=none cannot be combined")
    }
    var maximumAge: Int64?
    if let text = parameters["max_age"] {
      guard let age = Int64(text), age >= 0 else { throw refuse("invalid_request", "max_age is no number of seconds") }
      maximumAge = age
    }
    let device = parameters["device_id"]
    do throws(OAuthError) { try client.check(device: device) } catch { throw refuse(error) }
    guard (parameters["nonce"]?.utf8.count ?? 0) <= 512 else {
      throw refuse("invalid_request", "nonce is too long")
    }
    self.client = client
    self.redirectURI = redirectURI
    self.state = state
    self.scopes = scopes
    nonce = parameters["nonce"]
    self.challenge = challenge
    self.device = device
    self.prompts = prompts
    self.maximumAge = maximumAge
    loginHint = parameters["login_hint"]
    idTokenHint = parameters["id_token_hint"]
  }
}
