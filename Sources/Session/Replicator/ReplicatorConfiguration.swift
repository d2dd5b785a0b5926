public import Basics
internal import Replication
public import SecureMemory

/// What an app's replicator is to be built with: `replicator config`. It holds the session in guarded memory.
public struct ReplicatorConfiguration {
  enum Credential {
    /// Nothing is presented (strategy `demo`).
    case none
    /// The gateway's session, in its cookie.
    case session(SecureBox, cookieName: String)
    /// The ID token, in a header of the configuration's own.
    case bearer(SecureBox)
  }

  let endpoint: ReplicationEndpoint?
  let credential: Credential
  /// The collections to replicate, as `scope.collection`; empty when the settings leave them to the app.
  public let collections: [String]
  /// When the credential ends, as far as is known.
  public let credentialExpiresAt: Timestamp?

  /// The gateway's database, e.g. `wss://sync.example.com:4984/mfs`; nil when the settings name no gateway.
  public var url: String? { endpoint?.url }

  private static let mask = "********"

  /// The document with the secret hidden.
  public var masked: JSONValue {
    var authenticator = JSONValue.null
    var headers: JSONValue = [:]
    switch credential {
    case .none: break
    case .session(_, let cookieName):
      authenticator = [
        "type": "session", "sessionId": .string(ReplicatorConfiguration.mask), "cookieName": .string(cookieName),
      ]
    case .bearer: headers = ["Authorization": .string("Bearer \(ReplicatorConfiguration.mask)")]
    }
    return [
      "url": .optional(url), "collections": .strings(collections), "authenticator": authenticator, "headers": headers,
    ]
  }

  /// The document with the secret, and a line end, in guarded memory. Throws ``FailureCode/outOfMemory``.
  public func revealed() throws(Failure) -> SecureBytes {
    let text = masked.text + "\n"
    let document = try SecureBuffer(limit: 256 << 10)
    guard let secret, let place = text.firstRange(of: ReplicatorConfiguration.mask) else {
      return try SecureBytes(publicText: text)
    }
    // What a vault holds as a session or a token has no byte that JSON would write in another way.
    try document.append(publicText: String(text[..<place.lowerBound]))
    try document.append(secret.bytes)
    try document.append(publicText: String(text[place.upperBound...]))
    return try document.contents()
  }

  private var secret: SecureBox? {
    switch credential {
    case .none: nil
    case .session(let secret, _), .bearer(let secret): secret
    }
  }
}
