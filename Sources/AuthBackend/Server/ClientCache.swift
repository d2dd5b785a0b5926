internal import BackendStore
internal import Basics
internal import OAuthHTTP

/// The clients that ask all the time, for a second each: a refresh is answered without reading the registry. What this process changes of
/// them counts at once, what another one does within that second.
final class ClientCache: Sendable {
  private struct Entry {
    let client: Client
    let version: UInt64
    let until: MonotonicInstant
  }

  static let milliseconds = 1_000
  // More clients than one backend has; a registry that is larger is read more often.
  private static let capacity = 1_000

  private let entries = Monitor<[String: Entry]>([:])

  /// The client with this `client_id`, if it is known here; the store is not read.
  func known(_ id: String, in store: any AuthStore) -> Client? {
    guard let known = entries.withLock(wake: .nobody, { $0[id] }), known.version == store.clientsVersion,
      MonotonicInstant.now() < known.until
    else { return nil }
    // Strings that look alike are equal in Swift, and not in the store.
    return isSame(known.client.id, id) ? known.client : nil
  }

  /// The client with this `client_id`, from the store where it is not known.
  func find(_ id: String, in store: any AuthStore) throws(Failure) -> Client? {
    if let known = known(id, in: store) { return known }
    let version = store.clientsVersion, now = MonotonicInstant.now()
    guard let client = try store.client(id) else { return nil }
    let until = now.advanced(bySeconds: Double(ClientCache.milliseconds) / 1_000)
    entries.withLock(wake: .nobody) { entries in
      if entries.count >= ClientCache.capacity { entries.removeAll() }
      entries[id] = Entry(client: client, version: version, until: until)
    }
    return client
  }
}
