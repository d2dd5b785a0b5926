internal import BackendStore

/// What a token request exchanges for tokens: its `grant_type`.
enum Grant: String, CaseIterable, Sendable {
  /// RFC 6749 4.1.3.
  case authorizationCode = "authorization_code"
  /// RFC 6749 6.
  case refreshToken = "refresh_token"
  /// RFC 8628 3.4.
  case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
  /// RFC 8693 2.1: here an ID token of Apple's or Google's.
  case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

  /// The parameter that has what is exchanged.
  var credential: String {
    switch self {
    case .authorizationCode: "code"
    case .refreshToken: "refresh_token"
    case .deviceCode: "device_code"
    case .tokenExchange: "subject_token"
    }
  }
}

/// A user who may have tokens now. Tokens are given to nobody else; ``BackendCall/openAccount(_:)`` and a rotation, whose step looks at the
/// user, are the ways to have one.
struct OpenAccount {
  let user: User

  fileprivate init(_ user: User) { self.user = user }

  /// The user that a rotation gave with its family.
  init(rotated user: User) { self.user = user }
}

extension BackendCall {
  /// Whether an account may have tokens: the one check that every grant makes, after the store has made the same within its own
  /// step, so that an account that is shut in between gets none either. Delays after wrong passwords hold up passwords alone: were they
  /// asked for here, a stranger could sign the owner's devices out. Throws `invalid_grant`.
  func openAccount(_ id: String) throws -> OpenAccount {
    guard let user = try store.user(id: id), !user.isDisabled else {
      report("account.refused", ["user": id, "address": address])
      throw invalidGrant
    }
    return OpenAccount(user)
  }
}
