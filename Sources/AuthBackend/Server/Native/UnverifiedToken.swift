internal import Basics
internal import JOSE

/// What a token says of itself before anybody has looked at its signature: good for choosing what to look with, and for nothing else.
struct UnverifiedToken {
  let issuer: String
  let audiences: [String]
  let nonce: String?
  /// Which client an access token of ours is for.
  let clientID: String?
  private let signed: String

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= JWSVerifier.maximumTokenSize,
      let payload = Base64URL.decode(String(parts[1])), let claims = try? JSONReader.value(payload),
      let issuer = claims["iss"]?.string
    else { return nil }
    self.issuer = issuer
    audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
    nonce = claims["nonce"]?.string
    clientID = claims["client_id"]?.string
    signed = parts[0] + "." + parts[1]
  }

  /// SHA-256 of what the signature is over. The signature is left out: of one by ECDSA anybody can make another that is good too.
  var digest: [UInt8] { SHA256.hash("native sign-in\n" + signed) }
}
