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

  /// Adds a client or, with `replacing`, replaces the one of its id. Throws ``FailureCode/configuration`` for one that may not be, and
  /// ``FailureCode/exists``.
  public func put(_ client: Client, replacing: Bool = true) throws(Failure) -> Put {
    try ClientCheck.check(client)
    let put = { @Sendable (before: Client?) -> Put in before == nil ? .added : before == client ? .unchanged : .changed
    }
    do throws(Failure) {
      return put(
        try store.put(client, mayReplace: replacing) { before in
          before == client ? [] : [entry("client.\(put(before).rawValue)", ["client": client.id])]
        })
    } catch {
      guard error.code == .exists else { throw error }
      throw Failure(
        .exists, "there is a client '\(OutsideText.clean(client.id, limit: 80))' already", hint: "--replace replaces it"
      )
    }
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
