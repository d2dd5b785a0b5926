internal import Basics
internal import HTTPClient
public import Replication
internal import SecureMemory

/// The local database under a replicator, as far as it matters to signing in: the cookies and the checkpoints that LiteCore
/// keeps in it. Both outlive the replicator, and the sign-in too: of the cookies that is the hazard, of the checkpoints the use.
public final class LocalDatabase {
  private struct Kept {
    let host: String
    let cookie: ReplicationCookie
  }

  // No credential: who presents another one goes on where the one before stopped.
  private struct Place: Hashable {
    let url: String
    let collection: String
  }

  private var kept: [Kept] = []
  private var checkpoints: [Place: UInt64] = [:]

  /// A new database.
  public init() {}

  /// The names of the cookies that are kept, in order.
  public var cookieNames: [String] { kept.map(\.cookie.name) }

  /// Up to which of the gateway's sequences a collection is replicated with an endpoint; 0 when it is not at all.
  public func checkpoint(of collection: String, with endpoint: ReplicationEndpoint) -> UInt64 {
    checkpoints[Place(url: endpoint.url, collection: collection)] ?? 0
  }

  /// Keeps that; nil for from the beginning.
  func setCheckpoint(_ sequence: UInt64?, of collection: String, with endpoint: ReplicationEndpoint) {
    checkpoints[Place(url: endpoint.url, collection: collection)] = sequence
  }

  /// Keeps the cookies of an answer, a refusal's too, that say when they end. One of the same name, host and path is replaced;
  /// one that has ended is removed.
  func keep(_ cookies: [ReplicationCookie], from host: String, now: Timestamp) {
    for cookie in cookies {
      kept.removeAll { $0.host == host && $0.cookie.name == cookie.name && $0.cookie.path == cookie.path }
      guard let expires = cookie.expires, now < expires else { continue }
      kept.append(Kept(host: host, cookie: cookie))
    }
  }

  /// The cookies that go with a request, `name=value` each.
  func cookies(for endpoint: ReplicationEndpoint, now: Timestamp) -> [(name: String, value: SecureBox)] {
    kept.filter { kept in
      kept.host == endpoint.gateway.host && kept.cookie.matches(path: endpoint.socketURL.target)
        && kept.cookie.expires.map { now < $0 } ?? false
    }.map { ($0.cookie.name, $0.cookie.value) }
  }
}
