public import BackendStore
public import Basics

extension Administration {
  /// Which identities at Apple, Google or another provider open a user's account.
  public func links(of user: User) throws(Failure) -> [IdentityLink] { try store.identityLinks(user: user.id) }

  /// Takes the identity at a provider from a user; the user's sign-ins end in the same step. Returns those. Throws
  /// ``FailureCode/notFound``.
  public func unlink(_ provider: String, from user: User) throws(Failure) -> [Family] {
    let ended = try store.unlinkIdentity(issuer: provider, user: user.id, now: now, denyUntil: denyUntil) { ended in
      guard let ended else { return [] }
      return [entry("identity.unlinked", ["user": user.id, "provider": provider, "ended": "\(ended.count)"])]
        + entries(ended, .unlinked)
    }
    guard let ended else {
      throw Failure(
        .notFound, "the user has no identity at '\(OutsideText.clean(provider, limit: 60))'",
        hint: "'user show' names those that there are")
    }
    return ended
  }
}
