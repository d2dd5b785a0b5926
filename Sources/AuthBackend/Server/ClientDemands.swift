internal import BackendStore
internal import OAuthHTTP

// What a sign-in may ask for, whichever way it begins.
extension Client {
  /// The scopes that a `scope` names, each of them one of the client's; none when there is none. Throws `invalid_scope`.
  func scopes(askedFor text: String?) throws(OAuthError) -> [String] {
    guard let scopes = ScopeText.split(text ?? "") else {
      throw OAuthError("invalid_scope", "the scope is no list of scopes")
    }
    if let other = scopes.first(where: { scope in !self.scopes.contains { isSame($0, scope) } }) {
      throw OAuthError("invalid_scope", "this client may not ask for '\(other)'")
    }
    return scopes
  }

  /// That a sign-in tells its device as the client's policy has it. Throws `invalid_request`.
  func check(device: String?) throws(OAuthError) {
    guard device != nil || devicePolicy == .optional else {
      throw .invalidRequest("device_id is missing: this client's sign-ins are bound to a device")
    }
    try DeviceID.check(device)
  }
}
