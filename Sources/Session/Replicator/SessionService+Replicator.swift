public import Basics
internal import Replication
internal import SecureMemory
internal import Vault

extension SessionService {
  /// What a replicator is to be built with now, from the settings and the vault alone. Throws ``FailureCode/signInNeeded``
  /// when there is no credential to present, ``FailureCode/configuration`` when the settings ask for one that there is not.
  public func replicator() throws(Failure) -> ReplicatorConfiguration {
    let signIn: SignIn
    switch try readVault() {
    case .none: throw nobody
    case .unusable(let reason): throw failure(for: reason)
    case .signIn(let stored): signIn = stored
    }
    let endpoint = configuration.binding.gateway.flatMap { gateway in
      configuration.binding.database.flatMap { ReplicationEndpoint(gateway: gateway, database: $0) }
    }
    guard endpoint != nil || signIn.isLocal else {
      throw Failure(
        .configuration, "EXPO_PUBLIC_SG_DB is no name that can stand in a replicator's URL",
        hint: "run 'mfsctl env lint'")
    }
    let credential = try credential(signIn)
    return ReplicatorConfiguration(
      endpoint: endpoint, credential: credential.value,
      collections: SessionService.list(configuration.settings["EXPO_PUBLIC_REPLICATION_COLLECTIONS"]),
      credentialExpiresAt: credential.end)
  }

  private func credential(
    _ signIn: SignIn
  ) throws(Failure) -> (value: ReplicatorConfiguration.Credential, end: Timestamp?) {
    if signIn.isLocal { return (.none, nil) }
    if configuration.settings["EXPO_PUBLIC_AUTH_BEARER_ON_REPL"] == "true" {
      guard let token = try contents?.entry(.idToken) else {
        throw Failure(
          .configuration, "EXPO_PUBLIC_AUTH_BEARER_ON_REPL is true, and the sign-in has no ID token",
          hint: "turn it off, or sign in with a strategy that brings one")
      }
      return (.bearer(SecureBox(try token.value.copy())), signIn.idTokenExpiresAt)
    }
    guard let session = try contents?.entry(.sessionId) else {
      throw Failure(
        .signInNeeded, "there is no session to present now",
        hint: signIn.canRefresh ? "run 'mfsctl session refresh'" : "run 'mfsctl session login'")
    }
    let name = reading.record?.cookieName ?? ReplicatorRules.cookieName
    return (.session(SecureBox(try session.value.copy()), cookieName: name), signIn.sessionExpiresAt)
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { item in
      String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }.filter { !$0.isEmpty }
  }
}
