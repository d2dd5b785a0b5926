internal import BackendStore
internal import Basics

/// Which account belongs to whom at a provider. That a provider may sign an account in is kept among the account's consents, and the way
/// back beside it: both are only ever added to, in one step each, and are found without going through all accounts.
struct IdentityLinks {
  let store: any AuthStore
  let provider: IdentityProvider

  private var place: String { "identity-provider/" + provider.name }

  /// How a subject is named here: its length is bounded, and it is the same whichever of its names the provider uses for itself.
  func key(_ subject: String) -> String { AttestationText.encode(SHA256.hash(provider.name + "\n" + subject)) }

  /// The account of a subject; nil when there is none.
  func account(of subject: String) throws(Failure) -> String? {
    try store.consent(user: "identity/" + key(subject), client: place).first
  }

  /// Links a subject to an account. False when another subject of this provider's is linked to it already: an address of e-mail that
  /// changed hands must not take the account along.
  func link(_ subject: String, to account: String) throws(Failure) -> Bool {
    let key = key(subject)
    guard try store.consent(user: account, client: place).allSatisfy({ $0 == key }) else { return false }
    try store.addConsent(user: account, client: place, scopes: [key])
    // Two subjects at once both see the other's here, and neither gets the account.
    guard try store.consent(user: account, client: place) == [key] else { return false }
    try store.addConsent(user: "identity/" + key, client: place, scopes: [account])
    return true
  }
}
