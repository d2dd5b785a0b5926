public import SecureMemory

/// Verifies signed tokens in the compact form (RFC 7515 5.2, with the advice of RFC 8725): an explicit list of
/// algorithms, keys from the issuer alone, and a key that is for that algorithm. It says nothing of what a token
/// claims: see ``IDTokenValidator`` and ``AccessTokenValidator``.
public struct JWSVerifier: Sendable {
  /// The most bytes of a token, 16 KiB.
  public static let maximumTokenSize = 16 << 10

  /// What was verified.
  public struct Verified: Sendable {
    /// The header.
    public let header: JWSHeader
    /// The bytes that were signed, decoded.
    public let payload: [UInt8]
    /// The key that made the signature.
    public let key: JSONWebKey
  }

  /// The algorithms that are allowed.
  public var algorithms: Set<JWSAlgorithm>

  /// A verifier that allows these algorithms.
  public init(algorithms: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases)) { self.algorithms = algorithms }

  /// Verifies a token in guarded memory. Its signature, without which it opens nothing, is decoded into guarded memory too; header
  /// and payload are not.
  public func verify(
    _ token: borrowing SecureBytes, keys: some JSONWebKeySource
  ) throws(TokenRefusal) -> Verified {
    try unsafe token.withBytes { bytes throws(TokenRefusal) in
      try unsafe verify(bytes, keys: keys) { part in
        guard let signature = unsafe Base64URL.decodeSecret(part) else { return nil }
        return .guarded(SecureBox(signature))
      }
    }
  }

  /// Verifies a token that stands in ordinary memory, such as in a request's header; so does its signature then. It takes half the
  /// time.
  public func verify(
    _ token: UnsafeRawBufferPointer, keys: some JSONWebKeySource
  ) throws(TokenRefusal) -> Verified {
    try unsafe verify(token, keys: keys) { part in unsafe Base64URL.decode(part).map { .plain($0) } }
  }

  private func verify(
    _ token: UnsafeRawBufferPointer, keys: some JSONWebKeySource,
    decode: (UnsafeRawBufferPointer) -> SignatureBytes?
  ) throws(TokenRefusal) -> Verified {
    let parts = try unsafe CompactToken(token)
    let header = try unsafe JWSHeader(try CompactToken.decode(parts.header, "header"), allowing: algorithms)
    let payload = try unsafe CompactToken.decode(parts.payload, "payload")
    guard let signature = unsafe decode(parts.signature) else {
      throw TokenRefusal(.form, "the token's signature is not base64url")
    }
    func signer(among candidates: [JSONWebKey]) -> JSONWebKey? {
      candidates.first { key in
        // A source is trusted to know which keys are for what, but not alone.
        guard key.objection(to: header.algorithm) == nil else { return false }
        return unsafe signature.withBytes {
          unsafe key.material.verifies($0, of: parts.signed, by: header.algorithm)
        }
      }
    }
    let candidates = try keys.keys(for: header)
    if let key = signer(among: candidates) { return Verified(header: header, payload: payload, key: key) }
    if let key = signer(among: keys.newerKeys(for: header, tried: candidates)) {
      return Verified(header: header, payload: payload, key: key)
    }
    throw TokenRefusal(
      .signature, "the token's signature is not the issuer's",
      hint: "it was changed on the way, or the issuer signed with another key than it publishes")
  }
}

/// A token's signature, where the token is.
private enum SignatureBytes {
  case plain([UInt8])
  case guarded(SecureBox)

  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    switch self {
    case .plain(let bytes): unsafe bytes.withUnsafeBytes(body)
    case .guarded(let box): unsafe box.bytes.withBytes(body)
    }
  }
}
