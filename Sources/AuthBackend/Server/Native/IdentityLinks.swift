internal import BackendStore
internal import Basics
internal import JOSE

/// Which account belongs to whom at a provider.
struct IdentityLinks {
  let store: any AuthStore
  let provider: IdentityProvider

  /// How a subject is named here: its length is bounded, and it is the same whichever of its names the provider uses for itself.
  func key(_ subject: String) -> String { Base64URL.encode(SHA256.hash(provider.name + "\n" + subject)) }

  /// The account of a subject; nil when there is none.
  func account(of subject: String) throws(Failure) -> String? {
    try store.identityLink(issuer: provider.name, subject: key(subject))?.user
  }

  /// Links a subject to an account. False when another subject of this provider's is linked to it already: an address of e-mail that
  /// changed hands must not take the account along. What is audited is whether it was not linked before.
  func link(
    _ subject: String, to account: String, at now: Timestamp, audit: Auditing<Bool>? = nil
  ) throws(Failure) -> Bool {
    let link = IdentityLink(issuer: provider.name, subject: key(subject), user: account, linkedAt: now)
    return try store.linkIdentity(link, audit: audit)
  }
}
