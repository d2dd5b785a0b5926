internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory
internal import Synchronization

extension ProviderCall {
  // No vowels, so that no word comes of it, and nothing that looks like another (RFC 8628 6.1).
  private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  /// Where a device begins (RFC 8628 3.1 and 3.2).
  mutating func authorizeDevice() throws(OAuthError) -> ServerResponse {
    let form = try clientForm()
    let scopes = (form.text("scope") ?? "").split(separator: " ").map(String.init)
      .filter { ProviderCall.scopes.contains($0) }
    let secret = try provider.makeSecret()
    let now = now, options = options
    let userCode = provider.state.withLock { state in
      state.tidy(now: now)
      let taken = Set(state.devices.values.map(\.userCode))
      var code = ProviderCall.makeUserCode()
      while taken.contains(code) { code = ProviderCall.makeUserCode() }
      state.devices[secret.digest] = ProviderState.Device(
        userCode: code, scopes: scopes, expires: now.advanced(by: options.deviceCodeLifetime),
        interval: options.deviceInterval)
      return code
    }
    let shown = userCode.prefix(4) + "-" + userCode.dropFirst(4)
    let address = issuer + ProviderEndpoint.device.path
    return json([
      "device_code": .string(secret.text), "user_code": .string(String(shown)), "verification_uri": .string(address),
      "verification_uri_complete": .string("\(address)?user_code=\(shown)"),
      "expires_in": .integer(options.deviceCodeLifetime), "interval": .integer(options.deviceInterval),
    ])
  }

  // 20^8 codes; a byte that would make some letters likelier is thrown again.
  private static func makeUserCode() -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      let byte = Int(randomBytes(1)[0])
      if byte < 240 { letters.append(ProviderCall.letters[byte % 20]) }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Where a person types a device's code (RFC 8628 3.3) and signs in.
  mutating func device() throws(OAuthError) -> ServerResponse {
    guard request.method == "POST" else {
      outcome = "form"
      return page(
        .device(code: request.target.queryValue("user_code") ?? "", user: login?.user, problem: nil), status: 200)
    }
    guard isFromOwnPage else {
      outcome = "foreign_form"
      return page(.problem("This form is not ours", "It was sent by another site's page."), status: 403)
    }
    let form = try formFields(request)
    let typed = form.text("user_code") ?? ""
    let code = String(decoding: typed.uppercased().utf8.filter { ProviderCall.letters.contains($0) }, as: UTF8.self)
    func again(_ problem: String, _ status: Int) -> ServerResponse {
      page(.device(code: typed, user: login?.user, problem: problem), status: status)
    }
    var cookie: String?
    var person: (user: String, authenticated: Timestamp)?
    if let password = form.secret("password") {
      guard let user = form.text("username"), provider.verify(user, password) else {
        outcome = "wrong_password"
        return again("The user name or the password is wrong.", 403)
      }
      let made = try signIn(user)
      cookie = made.cookie
      person = (user, made.login.authenticated)
    } else if let login {
      person = (login.user, login.authenticated)
    }
    guard let person else {
      outcome = "wrong_password"
      return again("Sign in to allow the device.", 403)
    }
    let isAllowed = form.text("action") != "deny"
    let now = now
    let isDecided = provider.state.withLock { state in
      guard let found = state.devices.first(where: { $0.value.userCode == code && now < $0.value.expires }),
        found.value.decision == .pending
      else { return false }
      state.devices[found.key]?.decision =
        isAllowed ? .approved(user: person.user, authenticated: person.authenticated) : .denied
      return true
    }
    outcome = isDecided ? isAllowed ? "approved" : "denied" : "wrong_code"
    var response =
      isDecided
      ? page(
        isAllowed
          ? .note("The device is signed in", "You can close this window.")
          : .note("The device was refused", "It gets nothing. You can close this window."), status: 200)
      : again("There is no such code, or its time is over.", 400)
    if let cookie { response.headers.add("Set-Cookie", cookie) }
    return response
  }
}
