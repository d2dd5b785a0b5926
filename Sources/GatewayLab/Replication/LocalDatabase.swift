internal import Basics
internal import HTTPClient
internal import Replication
internal import SecureMemory

/// The local database under a replicator, as far as it matters to signing in: the cookies that LiteCore keeps in it. They
/// outlive the replicator, and the sign-in too; that is the hazard.
public final class LocalDatabase {
  private struct Kept {
    let host: String
    let cookie: ReplicationCookie
  }

  private var kept: [Kept] = []

  /// A new database.
  public init() {}

  /// The names of the cookies that are kept, in order.
  public var cookieNames: [String] { kept.map(\.cookie.name) }

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
