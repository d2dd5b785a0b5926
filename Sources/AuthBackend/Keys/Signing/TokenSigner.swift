public import Basics
internal import CSodium
public import JOSE
internal import SecureMemory

/// One of the server's signing keys, opened: it writes signed tokens in the compact form (RFC 7515 7.1). The private half is in
/// guarded memory (Ed25519) or libcrypto's own, which clears it (RSA).
public final class TokenSigner: Sendable, CustomStringConvertible {
  /// `kid`: the key's thumbprint (RFC 7638).
  public let keyID: String
  /// `alg`.
  public let algorithm: JWSAlgorithm
  /// The public half, as it is published.
  public let publicKey: JSONWebKey

  private enum Material: Sendable {
    case ed25519(Ed25519Key)
    case libcrypto(SigningKey)
  }

  private let material: Material
  private let signatureSize: Int
  // Header and dot, one for each type of token.
  private let accessTokenHead: [UInt8]
  private let idTokenHead: [UInt8]

  private init(_ material: Material, _ publicKey: JSONWebKey, _ algorithm: JWSAlgorithm) throws(Failure) {
    guard let keyID = publicKey.id else { throw Failure(.bug, "a signing key without an id") }
    func head(_ type: TokenType) -> [UInt8] {
      let header: JSONValue = [
        "alg": .string(algorithm.rawValue), "kid": .string(keyID), "typ": .string(type.rawValue),
      ]
      return Array((Base64URL.encode(Array(header.text.utf8)) + ".").utf8)
    }
    (self.material, self.publicKey, self.keyID, self.algorithm) = (material, publicKey, keyID, algorithm)
    accessTokenHead = head(.accessToken)
    idTokenHead = head(.idToken)
    switch material {
    case .ed25519: signatureSize = Ed25519Key.signatureSize
    case .libcrypto(let key):
      signatureSize = try unsafe key.signature(of: UnsafeRawBufferPointer(start: nil, count: 0)).count
    }
  }

  /// A key from what was sealed of it; see ``secret(for:)``.
  convenience init(secret: borrowing SecureBytes, algorithm: JWSAlgorithm) throws(Failure) {
    switch algorithm {
    case .edDSA:
      let key = try Ed25519Key(seed: secret)
      try self.init(.ed25519(key), try key.publicKey(), algorithm)
    case .rs256:
      let key = try SigningKey(json: secret, algorithm: algorithm)
      try self.init(.libcrypto(key), key.publicKey, algorithm)
    case .ps256, .es256: throw TokenSigner.unused(algorithm)
    }
  }

  /// What is sealed of a new key: the seed of 32 bytes for EdDSA, a private JWK (RFC 7517) of 2048 bits for RS256.
  static func secret(for algorithm: JWSAlgorithm) throws(Failure) -> SecureBytes {
    switch algorithm {
    case .edDSA: return try SecureBytes.random(count: Ed25519Key.seedSize)
    case .rs256: return try SigningKey.generate(algorithm).json()
    case .ps256, .es256: throw unused(algorithm)
    }
  }

  static func unused(_ algorithm: JWSAlgorithm) -> Failure {
    Failure(.configuration, "tokens are not signed with \(algorithm.rawValue) here", hint: "use EdDSA or RS256")
  }

  /// A signed token of a type with these claims, a JSON object as it is. Throws when libcrypto cannot sign.
  public func token(_ type: TokenType, claims: [UInt8]) throws(Failure) -> String {
    let head = type == .accessToken ? accessTokenHead : idTokenHead
    let signedSize = head.count + Base64Text.size(claims.count)
    let size = signedSize + 1 + Base64Text.size(signatureSize)
    var failure: Failure?
    let token = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let text = UnsafeMutableRawBufferPointer(buffer)
      // Neither the claims nor the signature are secret.
      func put(_ bytes: [UInt8], _ place: Range<Int>) throws(Failure) {
        let written = unsafe bytes.withUnsafeBytes {
          unsafe Base64URL.encode($0, into: UnsafeMutableRawBufferPointer(rebasing: text[place]))
        }
        guard written == place.count else {
          throw Failure(.bug, "a part of a token has another length than was reckoned with")
        }
      }
      do throws(Failure) {
        unsafe text.copyBytes(from: head)
        try put(claims, head.count..<signedSize)
        let signature = try unsafe signature(UnsafeBufferPointer(rebasing: buffer[..<signedSize]))
        unsafe buffer[signedSize] = UInt8(ascii: ".")
        try put(signature, signedSize + 1..<size)
        count = size
      } catch { failure = error }
    }
    if let failure { throw failure }
    return String(decoding: token, as: UTF8.self)
  }

  private func signature(_ message: UnsafeBufferPointer<UInt8>) throws(Failure) -> [UInt8] {
    switch material {
    case .ed25519(let key):
      return unsafe [UInt8](unsafeUninitializedCapacity: signatureSize) { buffer, count in
        guard let start = buffer.baseAddress else { return }
        unsafe key.sign(message, into: start)
        count = signatureSize
      }
    case .libcrypto(let key):
      let made = try unsafe key.signature(of: UnsafeRawBufferPointer(message))
      guard made.count == signatureSize else { throw Failure(.bug, "a signature of another size than the key's") }
      return made
    }
  }

  /// What the public half is.
  public var description: String { "a private key for \(algorithm.rawValue): \(publicKey)" }
}

/// The types of token that the server signs, by the `typ` of their header.
public enum TokenType: String, Sendable, CaseIterable {
  /// For resource servers (RFC 9068 2.1).
  case accessToken = "at+jwt"
  /// For the client alone (OpenID Connect Core 2).
  case idToken = "JWT"
}
