internal import Basics
internal import CSodium
internal import JOSE
internal import SecureMemory

// The key's memory is written in `init` alone, so that threads may sign at once.

/// A key for EdDSA with Ed25519 (RFC 8032, RFC 8037) that libsodium signs with, in about half the time of libcrypto.
final class Ed25519Key: @unchecked Sendable, CustomReflectable {
  static let seedSize = 32
  static let signatureSize = 64

  /// The public half, 32 bytes.
  let publicBytes: [UInt8]
  // Seed and public half, as libsodium wants it.
  private let pair: SecureBytes

  /// The key of a seed of 32 bytes.
  init(seed: borrowing SecureBytes) throws(Failure) {
    guard seed.count == Ed25519Key.seedSize else {
      throw Failure(.vaultDamaged, "a sealed Ed25519 key has \(seed.count) bytes, not \(Ed25519Key.seedSize)")
    }
    let pair = try SecureBytes(count: Int(crypto_sign_SECRETKEYBYTES))
    var half = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
    unsafe pair.withPointer { pair in
      unsafe seed.withPointer { seed in _ = unsafe crypto_sign_seed_keypair(&half, pair, seed) }
    }
    self.pair = pair
    publicBytes = half
  }

  /// Nothing to see.
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Writes the 64 bytes of the signature over a message.
  func sign(_ message: UnsafeBufferPointer<UInt8>, into signature: UnsafeMutablePointer<UInt8>) {
    unsafe pair.withPointer { pair in
      _ = unsafe crypto_sign_detached(signature, nil, message.baseAddress, UInt64(message.count), pair)
    }
  }

  /// The public half as a JWK with its thumbprint (RFC 7638) as `kid`.
  func publicKey() throws(Failure) -> JSONWebKey {
    func key(_ id: String?) throws(Failure) -> JSONWebKey {
      var members: [JSONValue.Member] = [.init("kty", "OKP"), .init("use", "sig"), .init("alg", "EdDSA")]
      if let id { members.append(.init("kid", .string(id))) }
      members += [.init("crv", "Ed25519"), .init("x", .string(Base64URL.encode(publicBytes)))]
      return try JSONWebKey(json: Array(JSONValue.object(members).text.utf8))
    }
    return try key(try key(nil).thumbprint)
  }
}
