internal import AuthBackend
public import BackendKeys
public import BackendStore
public import Basics

extension Administration {
  /// Registers a resource server, or gives one of that name another audience and secret. Throws ``FailureCode/usage`` for a name or an
  /// audience that cannot be one, ``FailureCode/exists`` where one is not to be replaced, and what ``BackendKeys/Peppers`` throws.
  public func addResourceServer(
    _ name: String, audience: String, secret: ResourceSecret, peppers: Peppers, replacing: Bool = false
  ) throws(Failure) -> ResourceServer {
    guard ClientCheck.isWord(name, limit: 128, also: "._-") else {
      throw Failure(
        .usage, "that cannot be a resource server's name", hint: "use 1 to 128 of A-Z a-z 0-9 . _ -")
    }
    guard !MisplacedSecret.isIn(name), !MisplacedSecret.isIn(audience) else {
      throw Failure(
        .usage, "a secret cannot be a resource server's name or audience",
        hint:
          "it has been seen where names are shown, so use another secret; the name is what the API calls itself, such as orders"
      )
    }
    guard ClientCheck.isAudience(audience) else {
      throw Failure(.usage, "that cannot be an audience", hint: "use a name or a URL, as the clients' registrations do")
    }
    let now = now
    let server = ResourceServer(
      name: name, audience: audience, secret: try peppers.hash(secret, now: now), createdAt: now)
    do throws(Failure) {
      _ = try store.put(server, mayReplace: replacing) { before in
        [entry(before == nil ? "resource.added" : "resource.replaced", ["resource": name, "audience": audience])]
      }
    } catch {
      guard error.code == .exists else { throw error }
      throw Failure(.exists, "there is a resource server '\(name)' already", hint: "--replace replaces it")
    }
    return server
  }

  /// Removes a resource server: it may ask nothing from the next request on. Throws ``FailureCode/notFound``.
  public func removeResourceServer(_ name: String) throws(Failure) {
    let record = entry("resource.removed", ["resource": name])
    guard try store.removeResourceServer(name, audit: { isRemoved in isRemoved ? [record] : [] }) else {
      throw Failure(
        .notFound, "there is no resource server '\(OutsideText.clean(name, limit: 100))'",
        hint: "'mfs-authd resource list' names them")
    }
  }
}
