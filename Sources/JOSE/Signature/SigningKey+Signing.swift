public import Basics
public import SecureMemory

extension SigningKey {
  /// A signed token in the compact form (RFC 7515 7.1): the header has `alg`, `kid` (unless `namesKey` is false), `typ`
  /// (nil for none) and `extra`, the payload are these bytes as they are. Throws when libcrypto fails or memory runs out, and
  /// ``FailureCode/bug`` for a member of `extra` that the header has anyway, or `crit`, or a token beyond
  /// ``JWSVerifier/maximumTokenSize``.
  public func sign(
    _ payload: [UInt8], type: String? = "JWT", namesKey: Bool = true, extra: [JSONValue.Member] = []
  ) throws(Failure) -> SecureBytes {
    var members = [JSONValue.Member("alg", .string(algorithm.rawValue))]
    if namesKey, let id = publicKey.id { members.append(.init("kid", .string(id))) }
    if let type { members.append(.init("typ", .string(type))) }
    let names = (members + extra).map(\.name)
    guard Set(names).count == names.count, !names.contains("crit"), !names.contains("b64") else {
      throw Failure(.bug, "a token's header would have a member twice, or one that is refused")
    }
    let header = Array(JSONValue.object(members + extra).text.utf8)
    let signed = Array((Base64URL.encode(header) + "." + Base64URL.encode(payload)).utf8)
    let made: SecureBox? = unsafe signed.withUnsafeBytes { bytes in
      guard let signature = unsafe material.sign(bytes, by: algorithm) else { return nil }
      return SecureBox(signature)
    }
    guard let made else { throw Failure(.inputOutput, "cannot sign a token") }
    let token = try SecureBuffer(limit: JWSVerifier.maximumTokenSize)
    var fits = try token.append(publicText: String(decoding: signed, as: UTF8.self) + ".")
    let text = try unsafe made.bytes.withBytes { bytes throws(Failure) in try unsafe Base64URL.encodeSecret(bytes) }
    fits = try token.append(text) && fits
    guard fits else { throw Failure(.bug, "a token would be larger than \(JWSVerifier.maximumTokenSize) bytes") }
    return try token.contents()
  }

  /// The signature alone (RFC 7518 3.3 to 3.5, RFC 8037 3.1), over bytes that are lent, for an issuer that writes its tokens itself
  /// into ordinary memory. Throws when libcrypto fails or memory runs out.
  public func signature(of message: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
    if algorithm != .es256, let signature = unsafe material.signPlainly(message, by: algorithm) { return signature }
    guard let signature = unsafe material.sign(message, by: algorithm) else {
      throw Failure(.inputOutput, "cannot sign a token")
    }
    return unsafe signature.withBytes { unsafe Array($0) }
  }

  /// A signed token in the compact form with these claims (RFC 7519).
  public func sign(
    claims: JSONValue, type: String? = "JWT", extra: [JSONValue.Member] = []
  ) throws(Failure) -> SecureBytes {
    try sign(Array(claims.text.utf8), type: type, extra: extra)
  }
}
