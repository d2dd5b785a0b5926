internal import COpenSSL
internal import CSodium

extension JWSAlgorithm {
  /// What is hashed with before signing, in libcrypto's words; nil where the algorithm hashes by itself.
  var signatureDigest: OpaquePointer? { self == .edDSA ? nil : unsafe EVP_sha256() }

  /// `at_hash` or `c_hash` of a token or code: base64url of the left half of its hash (OpenID Connect Core 3.1.3.6). The hash is that of
  /// the algorithm, which for Ed25519 is SHA-512.
  public func claimHash(_ bytes: UnsafeRawBufferPointer) -> String {
    let digest = unsafe self == .edDSA ? JWSAlgorithm.sha512(bytes) : SHA256.hash(bytes)
    return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
  }

  /// The same of a text in UTF-8.
  public func claimHash(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes { unsafe claimHash($0) }
  }

  // FIPS 180-4.
  private static func sha512(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha512_BYTES))
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    _ = unsafe crypto_hash_sha512(&digest, start, UInt64(bytes.count))
    return digest
  }
}
