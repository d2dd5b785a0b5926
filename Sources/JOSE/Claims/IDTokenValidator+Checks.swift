internal import Basics
internal import SecureMemory

extension IDTokenValidator {
  func checkAudience(_ audiences: [String], party: String?) throws(TokenRefusal) {
    guard audiences.containsExactly(clientID) else {
      let names = audiences.prefix(3).map { "'\(OutsideText.clean($0, limit: 64))'" }.joined(separator: ", ")
      throw TokenRefusal(
        .audience, "the token is for \(names), not for the client '\(OutsideText.clean(clientID, limit: 64))'",
        hint: "check the client id in the settings")
    }
    if let party, !party.isExactly(clientID), !trustedParties.containsExactly(party) {
      throw TokenRefusal(
        .authorizedParty,
        "the token was issued to '\(OutsideText.clean(party, limit: 64))', "
          + "not to the client '\(OutsideText.clean(clientID, limit: 64))'"
      )
    }
    let others = audiences.filter { !$0.isExactly(clientID) && !trustedAudiences.containsExactly($0) }
    if party == nil, let other = others.first {
      throw TokenRefusal(
        .audience,
        "the token is also for '\(OutsideText.clean(other, limit: 64))' and does not say who it was issued to",
        hint: "have the issuer put 'azp' in it, or trust that audience")
    }
  }

  func checkNonce(_ claims: TokenClaims, _ expected: IDTokenExpectation) throws(TokenRefusal) {
    let own = try claims.optionalText("nonce")
    guard let sent = expected.nonce else {
      // A token that answers another request than ours has that request's nonce.
      if own == nil && expected.origin != .authorization || expected.origin == .refresh { return }
      throw TokenRefusal(
        .nonce, own == nil ? "no nonce was sent, and this flow needs one" : "the token has a nonce, but none was sent",
        hint: "sign in again")
    }
    guard let own else {
      if expected.origin == .refresh { return }
      throw TokenRefusal(.nonce, "the token does not repeat the nonce that was sent", hint: "sign in again")
    }
    guard sent.bytes.isSame(as: Array(own.utf8)) else {
      throw TokenRefusal(
        .nonce, "the token's nonce is not the one that was sent: it answers another sign-in", hint: "sign in again")
    }
  }

  func checkHashes(
    _ claims: TokenClaims, _ expected: IDTokenExpectation, _ algorithm: JWSAlgorithm
  ) throws(TokenRefusal) {
    let mustBe = expected.origin == .authorization
    try check("at_hash", claims, of: expected.accessToken, algorithm, .accessTokenHash, "access token", mustBe: mustBe)
    try check("c_hash", claims, of: expected.code, algorithm, .codeHash, "code", mustBe: mustBe)
  }

  // OpenID Connect Core 3.1.3.6: the left half of the hash of the text as it was sent.
  private func check(
    _ name: String, _ claims: TokenClaims, of secret: SecureBox?, _ algorithm: JWSAlgorithm,
    _ reason: TokenRefusal.Reason, _ what: String, mustBe: Bool
  ) throws(TokenRefusal) {
    let own = try claims.optionalText(name)
    guard let secret else { return }
    guard let own else {
      if !mustBe { return }
      throw TokenRefusal(reason, "the token has no '\(name)', so nothing ties the \(what) to it")
    }
    let half = Array(unsafe secret.bytes.withBytes { unsafe algorithm.claimHash($0) }.utf8), given = Array(own.utf8)
    let isSame = unsafe half.withUnsafeBytes { left in
      unsafe given.withUnsafeBytes { unsafe OpenSSL.areEqual(left, $0) }
    }
    guard isSame else {
      throw TokenRefusal(
        reason, "the token's '\(name)' is not that of the \(what): the two do not belong together",
        hint: "sign in again")
    }
  }

  func checkAge(
    _ authenticated: Timestamp?, _ expected: IDTokenExpectation, now: Timestamp
  ) throws(TokenRefusal) {
    if let authenticated, authenticated > now.advanced(by: leeway) {
      throw .early(.authenticationTime, "says that the user signed in", authenticated, now)
    }
    guard let limit = expected.maximumAge else { return }
    guard let authenticated else { throw .missingClaim("auth_time") }
    guard authenticated.advanced(by: max(0, limit)).advanced(by: leeway) >= now else {
      let ago = TimeSpan.words(TokenRefusal.span(from: authenticated, to: now))
      throw TokenRefusal(
        .authenticationTime, "the user signed in \(ago) ago, and no more than \(TimeSpan.words(limit)) were asked for",
        hint: "sign in again; if that was just now, check the date and time of this device")
    }
  }
}

extension SecureBytes {
  /// Whether other bytes are the same, in a time that depends on the lengths only.
  borrowing func isSame(as other: [UInt8]) -> Bool {
    unsafe withBytes { own in unsafe other.withUnsafeBytes { unsafe OpenSSL.areEqual(own, $0) } }
  }
}
