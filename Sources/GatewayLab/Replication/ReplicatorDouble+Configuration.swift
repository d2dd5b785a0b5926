internal import Basics
internal import CSodium
public import HTTPClient
public import Replication
public import SecureMemory

extension ReplicatorDouble {
  /// How a replicator presents itself.
  public enum Credential {
    /// Not at all.
    case none
    /// A session, as `SessionAuthenticator` does: in a cookie, of whose end nothing is known.
    case session(SecureBox, cookieName: String)
    /// Name and password with every request, as `BasicAuthenticator` does.
    case basic(name: String, password: SecureBox)
    /// A token in a header of the configuration's own.
    case bearer(SecureBox)
  }

  /// Which cookie comes first. A gateway reads the first of a name.
  public enum CookieOrder: Sendable {
    /// LiteCore's built-in socket (C, Linux): what the local database keeps, then the authenticator's.
    case storedFirst
    /// The socket of Apple's SDK: the authenticator's, then what the local database keeps.
    case sessionFirst
  }

  /// What a replicator is made with.
  public struct Configuration {
    /// Where it connects to.
    public var endpoint: ReplicationEndpoint
    /// How it presents itself.
    public var credential: Credential
    /// What it replicates, each as `scope.collection`.
    public var collections = ["_default._default"]
    /// Whether it stays connected, and tries for ever.
    public var isContinuous = true
    /// Which cookie comes first.
    public var cookieOrder = CookieOrder.storedFirst
    /// The subprotocols that it offers.
    public var subprotocols = ReplicatorRules.subprotocols
    /// After how many seconds it asks whether the gateway is there.
    public var heartbeat = ReplicatorRules.heartbeat
    /// Limits and trust.
    public var client = HTTPClient()

    /// A continuous replicator of LiteCore's own kind.
    public init(_ endpoint: ReplicationEndpoint, _ credential: Credential) {
      self.endpoint = endpoint
      self.credential = credential
    }

    /// The fields of a request, with these cookies of the local database.
    func fields(stored: [(name: String, value: SecureBox)]) throws(Failure) -> [HTTPRequest.Field] {
      var cookies = stored
      var fields: [HTTPRequest.Field] = []
      switch credential {
      case .none: break
      case .session(let id, let name): cookies.insert((name, id), at: cookieOrder == .storedFirst ? cookies.count : 0)
      case .basic(let name, let password): fields.append(try Configuration.basic(name, password))
      case .bearer(let token):
        fields.append(HTTPRequest.Field("Authorization", secret: try Configuration.joined("Bearer ", token)))
      }
      guard !cookies.isEmpty else { return fields }
      let line = try SecureBuffer(limit: 64 << 10)
      for (index, cookie) in cookies.enumerated() {
        try line.append(publicText: (index > 0 ? "; " : "") + cookie.name + "=")
        try line.append(cookie.value.bytes)
      }
      return fields + [HTTPRequest.Field("Cookie", secret: SecureBox(try line.contents()))]
    }

    private static func joined(_ text: String, _ secret: SecureBox) throws(Failure) -> SecureBox {
      let line = try SecureBuffer(limit: 128 << 10)
      try line.append(publicText: text)
      try line.append(secret.bytes)
      return SecureBox(try line.contents())
    }

    // RFC 7617.
    private static func basic(_ name: String, _ password: SecureBox) throws(Failure) -> HTTPRequest.Field {
      let pair = try joined(name + ":", password)
      let length = (pair.bytes.count + 2) / 3 * 4
      let text = try SecureBytes(count: length + 1)
      unsafe pair.bytes.withPointer { source in
        unsafe text.withMutableBytes { out in
          guard let place = unsafe out.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
          unsafe sodium_bin2base64(place, out.count, source, pair.bytes.count, sodium_base64_VARIANT_ORIGINAL)
        }
      }
      return HTTPRequest.Field(
        "Authorization", secret: try joined("Basic ", SecureBox(try text.prefix(length))))
    }
  }
}
