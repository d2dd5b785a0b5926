internal import BackendStore
internal import Basics
internal import CSodium
internal import HTTPServer
internal import JOSE
internal import OAuthHTTP

extension BackendCall {
  /// `POST /oauth/attestation_challenge`: 32 random bytes that the attestation of one token request must answer.
  func attestationChallenge() throws -> ServerResponse {
    let form = try form()
    let client = try limitedClient(form)
    guard client.attestation != .off else {
      throw OAuthError(
        "unauthorized_client", "the devices of this client are not attested: its registration has attestation off")
    }
    var value = [UInt8](repeating: 0, count: 32)
    unsafe randombytes_buf(&value, value.count)
    try store.add(
      AttestationChallenge(
        value: value, client: client.id, createdAt: now,
        expiresAt: now.advanced(by: settings.attestationChallengeSeconds)))
    return json([
      "challenge": .string(Base64URL.encode(value)), "expires_in": .integer(settings.attestationChallengeSeconds),
    ])
  }

  /// Spends the challenge that a request answers; gives it as it was sent.
  func spentChallenge(_ form: FormFields, _ client: Client) throws -> String {
    guard let text = form.text("attestation_challenge") else {
      throw AttestationFault("challenge-missing", "attestation_challenge is missing")
    }
    guard let value = AnyBase64.decode(text), value.count == 32 else {
      throw AttestationFault("challenge-malformed", "attestation_challenge is none of the server's")
    }
    switch try store.spendChallenge(value, client: client.id, now: now) {
    case .good: return text
    case .unknown: throw AttestationFault("challenge-unknown", "the challenge is none of the server's")
    case .spent: throw AttestationFault("challenge-spent", "the challenge was answered before")
    case .expired: throw AttestationFault("challenge-expired", "the challenge is too old")
    case .client: throw AttestationFault("challenge-client", "the challenge was made for another client")
    }
  }
}
