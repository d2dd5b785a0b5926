/// Where the three parts of a compact JWS stand (RFC 7515 7.1). Nothing is decoded yet.
@safe struct CompactToken {
  let header: UnsafeRawBufferPointer
  let payload: UnsafeRawBufferPointer
  let signature: UnsafeRawBufferPointer
  /// Header, dot and payload: what is signed.
  let signed: UnsafeRawBufferPointer

  init(_ token: UnsafeRawBufferPointer) throws(TokenRefusal) {
    guard token.count <= JWSVerifier.maximumTokenSize else {
      throw TokenRefusal(
        .size, "the token has \(token.count) bytes, and no more than \(JWSVerifier.maximumTokenSize) are taken",
        hint: "have the issuer put less in it")
    }
    let dots = token.indices.filter { unsafe token[$0] == UInt8(ascii: ".") }
    if dots.count == 4 {
      throw TokenRefusal(
        .encrypted, "the token is encrypted (JWE), which is not supported", hint: "have the issuer sign it only")
    }
    guard dots.count == 2 else {
      throw TokenRefusal(
        .form, "the token is not a signed token: it has \(dots.count + 1) parts instead of 3",
        hint: "an access token that is not a JWT cannot be checked here")
    }
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: token[range]) }
    unsafe header = part(0..<dots[0])
    unsafe payload = part(dots[0] + 1..<dots[1])
    unsafe signature = part(dots[1] + 1..<token.count)
    unsafe signed = part(0..<dots[1])
  }

  /// The bytes of a part.
  static func decode(_ part: UnsafeRawBufferPointer, _ name: String) throws(TokenRefusal) -> [UInt8] {
    guard let bytes = unsafe Base64URL.decode(part) else {
      throw TokenRefusal(.form, "the token's \(name) is not base64url")
    }
    return bytes
  }
}
