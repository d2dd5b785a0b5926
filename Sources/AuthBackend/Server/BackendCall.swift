internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

/// One request on its way through the backend.
final class BackendCall: Sendable {
  /// A larger form is refused (413).
  static let formLimit = 65_536
  /// More fields than any request of ours has.
  static let fieldLimit = 200

  let backend: Backend
  let request: ServerRequest
  let now: Timestamp
  /// What is asked for; nil when nothing is at this path.
  let endpoint: Endpoint?

  var store: any AuthStore { backend.store }
  var settings: BackendSettings { backend.settings }

  init(backend: Backend, request: ServerRequest) {
    self.backend = backend
    self.request = request
    now = backend.clock()
    endpoint = Endpoint.at(request.target.path, base: backend.settings.path)
  }

  func run() -> ServerResponse {
    guard let endpoint else { return errorPage(404, "Nothing here", "There is no page at this address.") }
    guard endpoint.methods.contains(request.method) else {
      return ServerResponse(status: 405, headers: ["Allow": endpoint.methods.joined(separator: ", ")])
    }
    return answer(endpoint) { try answer(endpoint) }
  }

  /// What `body` answers, or what its error is to the client.
  func answer(_ endpoint: Endpoint, _ body: () throws -> ServerResponse) -> ServerResponse {
    do { return try body() } catch { return answer(endpoint, to: error) }
  }

  /// What an error is to the client. Waits for others when it is the server's.
  func answer(_ endpoint: Endpoint, to error: any Error) -> ServerResponse {
    if let error = error as? OAuthError { return refusal(error, endpoint) }
    // What it is belongs to the operator: the client can only try again.
    reportFailure(error)
    guard error is Failure else {
      return refusal(OAuthError("server_error", "the server failed", status: 500), endpoint)
    }
    var error = OAuthError("temporarily_unavailable", "the server cannot answer now; try again", status: 503)
    error.retryAfter = 1
    return refusal(error, endpoint)
  }

  /// Says that the server failed, and why.
  func reportFailure(_ error: any Error) {
    report("server.failure", ["endpoint": endpoint?.rawValue, "failure": "\(error)"], alert: true)
  }

  /// What is wrong is told a person on a page, a program in JSON.
  func refusal(_ error: OAuthError, _ endpoint: Endpoint) -> ServerResponse {
    guard endpoint.isForPeople else { return error.response }
    var page = errorPage(error.status, "This cannot go on", error.text)
    if let seconds = error.retryAfter { page.headers.add("Retry-After", String(seconds)) }
    return page
  }

  private func answer(_ endpoint: Endpoint) throws -> ServerResponse {
    switch endpoint {
    case .authorize: try authorize()
    case .token: try token(form())
    case .revoke: try revoke()
    case .logout: try logOut()
    case .endSession: try endSession()
    case .userInfo: try userInfo()
    case .introspect: try introspect()
    case .denials: try denials()
    case .deviceAuthorization: try deviceAuthorization()
    case .attestationChallenge: try attestationChallenge()
    case .device: try devicePage()
    case .devices: try devicesPage()
    case .password: try passwordPage()
    case .appleAppSiteAssociation: try appleAppSiteAssociation()
    case .assetLinks: try assetLinks()
    case .openIDConfiguration, .authorizationServer: try metadata()
    case .keys: try publicKeys()
    case .health: .plain("ok\n", status: 200, headers: ["Cache-Control": "no-store"])
    case .readiness: readiness()
    }
  }

  /// An answer that no cache keeps (RFC 6749 5.1).
  func json(_ value: JSONValue, status: Int = 200) -> ServerResponse { json(Array(value.text.utf8), status: status) }

  /// The same for JSON that is written already.
  func json(_ bytes: [UInt8], status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status,
      headers: ["Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache"],
      body: .bytes(bytes))
  }

  /// The form of a request; the query is never looked at (RFC 6749 2.3.1). Throws `invalid_request`.
  func form() throws(OAuthError) -> FormFields {
    guard request.body.count <= BackendCall.formLimit else {
      throw OAuthError("invalid_request", "the form is larger than \(BackendCall.formLimit) bytes", status: 413)
    }
    let form: FormFields
    do throws(FormFields.Fault) { form = try FormFields(request, limit: BackendCall.fieldLimit) } catch {
      throw OAuthError(error)
    }
    if let repeated = form.repeated {
      throw .invalidRequest("the parameter '\(OutsideText.clean(repeated, limit: 40))' stands twice")
    }
    return form
  }

  /// The address of the client: of who is connected, or what trusted proxies say of who is connected to them.
  var address: String {
    var address = request.peer
    guard settings.trustedProxies.contains(address) else { return address }
    let forwarded = request.headers.all("X-Forwarded-For").flatMap { $0.split(separator: ",") }
      .map { $0.split(separator: " ").joined() }
    // From the nearest to the farthest: only what a trusted one wrote counts.
    for next in forwarded.reversed() {
      guard settings.trustedProxies.contains(address), let next = AddressText.canonical(next) else { break }
      address = next
    }
    return address
  }
}

extension ServerResponse {
  /// The answer to HEAD where GET might do something: HEAD is safe (RFC 9110 9.2.1).
  static let nothingDone = ServerResponse(status: 200, headers: ["Cache-Control": "no-store"])
}
