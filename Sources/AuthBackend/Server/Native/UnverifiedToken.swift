internal import Basics
internal import JOSE

/// What a token says of itself before anybody has looked at its signature: good for choosing the keys to look with, and for nothing else.
struct UnverifiedToken {
  let issuer: String
  let audiences: [String]
  let nonce: String?
  /// SHA-256 of what the signature is over. The signature is left out: of one by ECDSA anybody can make another that is good too.
  let digest: [UInt8]

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= 16_384, let payload = Base64URL.decode(String(parts[1])),
      let claims = try? JSONReader.value(payload), let issuer = claims["iss"]?.string
    else { return nil }
    self.issuer = issuer
    audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
    nonce = claims["nonce"]?.string
    digest = SHA256.hash("native sign-in\n" + parts[0] + "." + parts[1])
  }
}
