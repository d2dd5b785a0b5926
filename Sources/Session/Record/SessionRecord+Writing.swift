internal import Basics
internal import SecureMemory
internal import Vault

extension VaultContents {
  /// Replaces whatever was under `auth.` by a new sign-in. Stores the device's id when there is none yet.
  func write(
    newSignIn result: SessionResult, id: String, identifier: String?, binding: SessionBinding, deviceId: String,
    at now: Timestamp
  ) throws(Failure) {
    guard let place = binding.text else { throw SessionBinding.unusable }
    removeAll { $0.isCredential }
    try set(.strategy, text: binding.strategy, at: now)
    try set(.signInId, text: id, at: now)
    try set(.binding, text: place, at: now)
    try set(.identifier, text: result.identifier ?? identifier, at: now)
    try write(session: result, strategy: binding.strategy, at: now)
    if try entry(.deviceId) == nil { try set(.deviceId, text: deviceId, at: now) }
  }

  /// Replaces the session of a sign-in by a refreshed one. What the strategy did not bring anew stays: a provider that
  /// returns no new refresh token means the old one to be used again.
  func write(refreshed result: SessionResult, strategy: String, at now: Timestamp) throws(Failure) {
    for key in SessionKey.ofSession where result.sessionId != nil { remove(try key.name()) }
    if result.idToken != nil { remove(try SessionKey.idTokenExpiresAt.name()) }
    try write(session: result, strategy: strategy, at: now)
  }

  private func write(session result: SessionResult, strategy: String, at now: Timestamp) throws(Failure) {
    let secrets: [(SessionKey, SecureBox?)] = [
      (.sessionId, result.sessionId), (.password, result.password), (.idToken, result.idToken),
      (.refreshToken, result.refreshToken),
    ]
    for (key, secret) in secrets { if let secret { try set(key, secret: secret, at: now) } }
    let isServerSession = result.sessionId != nil
    let texts: [(SessionKey, String?)] = [
      (.sessionExpiresAt, isServerSession ? result.sessionExpiresAt?.rfc3339 : nil),
      (.cookieName, isServerSession ? result.cookieName : nil),
      (.idTokenExpiresAt, result.idTokenExpiresAt?.rfc3339), (.employeeId, result.employeeId),
    ]
    for (key, text) in texts { if let text { try set(key, text: text, at: now) } }
    for (name, secret) in result.pluginState {
      set(try KeyName("auth.plugin.\(strategy).\(name)"), try secret.bytes.copy(), at: now)
    }
  }

  /// Removes the rejected session of a sign-in and keeps what gets a new one.
  func dropSession() throws(Failure) {
    for key in SessionKey.ofSession { remove(try key.name()) }
  }

  /// Removes what the server rejected: session, tokens, password, a plugin's state. Who it was stays.
  func clearCredentials() {
    let kept = Set(SessionKey.keptWhenRejected.map(\.rawValue))
    removeAll { $0.isCredential && !kept.contains($0.text) }
  }

}

extension SessionRecord {
  /// 128 random bits as 32 hexadecimal digits: a sign-in's or a device's id. It names and proves nothing.
  static func randomIdentifier() throws(Failure) -> String {
    let random = try SecureBytes.random(count: 16)
    return unsafe random.withBytes { unsafe Hexadecimal.encode($0) }
  }
}

extension SessionBinding {
  static let unusable = Failure(
    .configuration, "a setting that names the server holds a line end or a control character",
    hint: "run 'mfsctl env lint'")
}
