public import BackendStore
public import Basics

extension Administration {
  /// What came of putting a client.
  public enum Put: String, Sendable {
    /// It is new.
    case added
    /// It was another.
    case changed
    /// It was the same.
    case unchanged
  }

  /// Adds a client or replaces it. Throws ``FailureCode/configuration`` for one that may not be.
  public func put(_ client: Client) throws(Failure) -> Put {
    try ClientCheck.check(client)
    let before = try store.client(client.id)
    guard before != client else { return .unchanged }
    try store.put(client)
    let put: Put = before == nil ? .added : .changed
    try audit("client.\(put.rawValue)", ["client": client.id])
    return put
  }

  /// Removes a client; its sign-ins end at once. Throws ``FailureCode/notFound``.
  public func removeClient(_ id: String) throws(Failure) {
    // Step by step: what is left for the last one, which removes the client, began just now.
    _ = try end(.client(id))
    let ended = try store.removeClient(id, now: now, denyUntil: denyUntil) { ended in
      guard let ended else { return [] }
      return [entry("client.removed", ["client": id])] + entries(ended, .administrator)
    }
    guard ended != nil else {
      throw Failure(
        .notFound, "there is no client '\(OutsideText.clean(id, limit: 100))'",
        hint: "'mfs-authd client list' names them")
    }
  }
}
