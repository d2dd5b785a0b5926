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

  /// The client with this `client_id`, from the store where it is not known.
  func find(_ id: String, in store: any AuthStore) throws(Failure) -> Client? {
    let version = store.clientsVersion, now = MonotonicInstant.now()
    let known = entries.withLock(wake: .nobody) { $0[id] }
    // Strings that look alike are equal in Swift, and not in the store.
    if let known, known.version == version, now < known.until, isSame(known.client.id, id) { return known.client }
    guard let client = try store.client(id) else { return nil }
    let until = now.advanced(bySeconds: Double(ClientCache.milliseconds) / 1_000)
    entries.withLock(wake: .nobody) { entries in
      if entries.count >= ClientCache.capacity { entries.removeAll() }
      entries[id] = Entry(client: client, version: version, until: until)
    }
    return client
  }
}
