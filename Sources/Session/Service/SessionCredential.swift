internal import Basics
internal import SecureMemory
internal import Vault

/// What proves to a server who signed in.
enum SessionCredential {
  /// The gateway's session, as a cookie of this name.
  case cookie(name: String, SecureBox)
  /// The provider's ID token, as a bearer token (RFC 6750).
  case bearer(SecureBox)

  /// The key of the vault that it stands under.
  var key: SessionKey {
    switch self {
    case .cookie: .sessionId
    case .bearer: .idToken
    }
  }

  /// The secret itself.
  var secret: SecureBox {
    switch self {
    case .cookie(_, let secret), .bearer(let secret): secret
    }
  }

  /// The header field that carries it: its name and its value.
  func field() throws(Failure) -> (name: String, value: SecureBox) {
    let buffer = try SecureBuffer(limit: 128 << 10)
    let name: String
    switch self {
    case .cookie(let cookie, let secret):
      name = "Cookie"
      try buffer.append(publicText: cookie + "=")
      try buffer.append(secret.bytes)
    case .bearer(let secret):
      name = "Authorization"
      try buffer.append(publicText: "Bearer ")
      try buffer.append(secret.bytes)
    }
    return (name, SecureBox(try buffer.contents()))
  }
}

extension SessionService {
  /// Whether the stored ID token is good by its own time.
  var hasValidToken: Bool { reading.record?.idTokenExpiresAt.map { clock() < $0 } ?? false }

  /// The stored session's cookie, or the ID token; nil when there is none.
  func credential(asBearer: Bool) throws(Failure) -> SessionCredential? {
    guard let entry = try contents?.entry(asBearer ? .idToken : .sessionId) else { return nil }
    let secret = SecureBox(try entry.value.copy())
    if asBearer { return .bearer(secret) }
    return .cookie(name: reading.record?.cookieName ?? "SyncGatewaySession", secret)
  }

  /// Gets a new credential in place of one that a server refused, unless another process has done so already. A refused cookie
  /// is the gateway's word on the session; a server of its own that refuses the ID token has no say in that.
  func replace(_ refused: SessionCredential) throws(Failure) -> Report {
    _ = try readVault()
    guard let stored = try credential(asBearer: refused.key == .idToken),
      stored.secret.bytes.equals(refused.secret.bytes)
    else { return try restore() }
    return refused.key == .sessionId ? try replicatorFailed(ReplicatorCode(401)) : try refresh()
  }
}
