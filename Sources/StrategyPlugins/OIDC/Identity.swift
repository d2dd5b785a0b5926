internal import Basics
internal import StrategyKit

/// A validated ID token and what stands beside it, on the way to a session of the gateway's.
struct Identity {
  let token: Secret
  let expires: Timestamp
  let refreshToken: Secret?
  let identifier: String?
  let employeeId: String?

  /// Validates the tokens of a grant. Throws when there is no ID token, or it is not for this sign-in.
  init(
    _ token: Secret, from source: IDTokenRequest.Source, nonce: String?, accessToken: Secret?, refreshToken: Secret?,
    subject: String? = nil, client: Client, _ host: Host
  ) throws(StrategyError) {
    let valid = try host.validate(
      IDTokenRequest(
        token, clientID: client.id, source: source, nonce: nonce, accessToken: accessToken, subject: subject))
    self.token = token
    self.refreshToken = refreshToken
    expires = valid.expiresAt
    identifier = client.identifier(valid.claims)
    employeeId = client.employeeId(valid.claims)
    self.subject = valid.claims["sub"]?.text
  }

  /// `sub`: the provider's id for the user.
  let subject: String?

  /// Exchanges the ID token for a session and reports both.
  func signIn(at gateway: Gateway, identifier: String?, _ host: Host) throws(StrategyError) -> SignIn {
    signIn(with: try gateway.openSession(bearer: token, host), identifier: identifier)
  }

  /// The end of a sign-in: what the ID token does not say of the employee, the gateway's profile of the user may.
  func signIn(
    with session: SignIn.Session, identifier: String?, state: [String: String] = [:], at gateway: Gateway, _ call: Call,
    _ host: Host
  ) -> SignIn {
    let employee = employeeId ?? gateway.employeeId(for: session, call, host)
    return signIn(with: session, identifier: identifier, employeeId: employee, state: state)
  }

  /// Reports the ID token and a session that is there already. `state` is kept beside the provider's id for the user.
  func signIn(with session: SignIn.Session, identifier: String?) -> SignIn {
    signIn(with: session, identifier: identifier, employeeId: employeeId, state: [:])
  }

  private func signIn(
    with session: SignIn.Session, identifier: String?, employeeId: String?, state: [String: String]
  ) -> SignIn {
    SignIn(
      identifier: identifier, session: session,
      tokens: SignIn.Tokens(idToken: token, expires: expires, refreshToken: refreshToken), employeeId: employeeId,
      state: state.merging(subject.map { ["subject": $0] } ?? [:]) { $1 })
  }
}
