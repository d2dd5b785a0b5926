internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import JOSE
internal import OAuthHTTP
internal import SecureMemory

extension BackendCall {
  /// The most ids in one answer about what is denied.
  static let denialLimit = 10_000

  /// `POST /oauth/introspect` (RFC 7662): a resource server asks about an access token that is for it. Any other token is not active, and
  /// refresh tokens are nothing that a resource server is shown.
  func introspect() throws -> ServerResponse {
    let form = try form()
    let server = try resourceServer(form)
    guard let text = form.text("token") else { throw OAuthError.invalidRequest("token is missing") }
    guard let token = try accessToken(text, audience: server.audience), try isOpen(token.subject) else {
      return json(["active": .bool(false)])
    }
    var members: [JSONValue.Member] = [
      .init("active", .bool(true)), .init("token_type", "Bearer"), .init("client_id", .string(token.clientID)),
      .init("sub", .string(token.subject)), .init("scope", .string(token.scopes.joined(separator: " "))),
      .init("iss", .string(token.issuer)), .init("exp", .integer(token.expires.seconds)),
      .init("iat", .integer(token.issued.seconds)), .init("jti", .string(token.id)),
      .init("aud", .string(server.audience)),
    ]
    for name in ["sid", "device_id"] {
      if let text = token.claims[name]?.string { members.append(.init(name, .string(text))) }
    }
    return json(.object(members))
  }

  /// `GET /oauth/denials`: which access tokens are denied before they are over, by `jti` or by `sid`, for resource servers that verify
  /// tokens themselves. The ids are random and say nothing of anybody, so each resource server gets all of them: a client's
  /// tokens may have been for another audience until just now. The tag of the first part is that of the list.
  ///
  /// How often one may begin to read the list is limited, and not in how many parts it comes: or a long list, which follows from an
  /// incident, would be the one that nobody can read.
  func denials() throws -> ServerResponse {
    let server = try resourceServer(nil)
    let after = request.target.queryValue("after") ?? ""
    if after.isEmpty, let wait = backend.clientLimiter.take("resource \(server.name) \(AddressText.group(address))") {
      throw resourceTooOften(wait)
    }
    // Before the list is read: what comes meanwhile may be in it, and then the tag is another one next time.
    let mark = after.isEmpty ? try store.denialsMark(now: now) : ""
    let page = try store.denied(
      now: now, after: after, limit: BackendCall.denialLimit)
    var members: [JSONValue.Member] = [
      .init("denied", .object(page.map { .init($0.id, .integer($0.until.seconds)) }))
    ]
    if page.count == BackendCall.denialLimit, let last = page.last { members.append(.init("next", .string(last.id))) }
    // Weak: the moment that it was read at is another one each time. That of the first part is for all of the list, so that a long one need
    // not be read again to know that it is the same.
    let tag = "W/\"\(Base64URL.encode(SHA256.hash(mark + JSONValue.object(members).text)))\""
    let isKnown = request.headers.all("If-None-Match").flatMap { $0.split(separator: ",") }
      .contains { isSame($0.split(separator: " ").joined(), tag) }
    members.append(.init("at", .integer(now.seconds)))
    var response = isKnown ? ServerResponse(status: 304) : json(.object(members))
    if isKnown { response.headers.add("Cache-Control", "no-store") }
    response.headers.add("ETag", tag)
    return response
  }

  /// The resource server whose name and secret a request has: in `Authorization: Basic`, or in the form (RFC 6749 2.3.1). Throws
  /// `invalid_client`, and `slow_down` where that was often. A right secret is never held up: none can be guessed, and whoever shares an
  /// address must not shut the others out.
  func resourceServer(_ form: FormFields?) throws -> ResourceServer {
    let (name, box) = try resourceCredentials(form)
    let known = try store.resourceServer(name)
    guard let server = known, let box, let secret = ResourceSecret(box.bytes),
      let shown = try backend.peppers.hashes(secret, now: now).first(where: { $0.pepper == server.secret.pepper }),
      ConstantTime.isSame(shown.bytes, server.secret.bytes)
    else { throw unknownResourceServer(name, known?.name) }
    // Peppers are not kept for ever: what is stored follows the one that is used now.
    let current = try backend.peppers.hash(secret, now: now)
    if current.pepper != shown.pepper { _ = try store.rehashSecret(of: name, known: server.secret, as: current) }
    return server
  }

  private func resourceCredentials(_ form: FormFields?) throws -> (name: String, secret: SecureBox?) {
    let named = form?.text("client_id")
    guard request.headers.first("Authorization") != nil else { return (named ?? "", form?.secret("client_secret")) }
    guard form?.has("client_secret") != true else {
      throw OAuthError.invalidRequest("two secrets are shown: in Authorization and in the form")
    }
    guard let basic = BasicCredentials(request, anyCase: true), let name = formDecoded(basic.name) else {
      return ("", nil)
    }
    guard named.map({ isSame($0, name) }) ?? true else { throw OAuthError.invalidRequest("two clients are named") }
    return (name, basic.password)
  }

  private func unknownResourceServer(_ name: String, _ known: String?) -> OAuthError {
    if let wait = backend.resourceLimiter.take(AddressText.group(address)) { return resourceTooOften(wait) }
    // Who names nobody has tried nothing. A name that is not there may be a secret: whoever swaps the two sends it as the name.
    if !name.isEmpty { report("resource.refused", ["resource": known, "address": address]) }
    return OAuthError(
      "invalid_client", "this needs the name and the secret of a resource server, and these are none", status: 401,
      challenge: #"Basic realm="oauth", charset="UTF-8""#)
  }

  private func resourceTooOften(_ wait: Int64) -> OAuthError {
    announce("resource.limited", ["address": address], alert: true)
    return tooMany("too many requests; wait and try again", wait)
  }
}
