internal import Basics
internal import CSodium
internal import SecureMemory

/// The cryptography of the format, each piece one call of libsodium.
enum Cipher {
  static let keySize = 32
  static let nonceSize = 24
  static let tagSize = 16
  static let wrappedKeySize = keySize + tagSize

  /// Random bytes that need not be secret: ids, salts, nonces.
  static func randomBytes(_ count: Int) throws(Failure) -> [UInt8] {
    guard sodium_init() >= 0 else { throw Failure(.inputOutput, "the system has no source of random numbers") }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let base = buffer.baseAddress { unsafe randombytes_buf(base, count) }
      initialized = count
    }
  }

  /// XChaCha20-Poly1305-IETF: the ciphertext and its 16-byte tag.
  static func seal(
    _ plain: borrowing SecureBytes, key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> [UInt8] {
    guard key.count == keySize, nonce.count == nonceSize else { throw Failure(.bug, "a key of the wrong size") }
    var sealed = [UInt8](repeating: 0, count: plain.count + tagSize)
    let size = UInt64(plain.count)
    unsafe plain.withPointer { plain in
      unsafe key.withPointer { key in
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          &sealed, nil, plain, size, associated, UInt64(associated.count), nil, nonce, key)
      }
    }
    return sealed
  }

  /// The plaintext, or nil when the tag does not match.
  static func open(
    _ sealed: [UInt8], key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> SecureBytes? {
    guard key.count == keySize, nonce.count == nonceSize, sealed.count >= tagSize else { return nil }
    let plain = try SecureBytes(count: sealed.count - tagSize)
    let status = unsafe plain.withPointer { plain in
      unsafe key.withPointer { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          plain, nil, nil, sealed, UInt64(sealed.count), associated, UInt64(associated.count), nonce, key)
      }
    }
    guard status == 0 else { return nil }
    return plain
  }

  /// 32 bytes from a key: BLAKE2b-256 keyed with it, over `purpose` (ASCII) and `context`.
  static func derive(
    from key: borrowing SecureBytes, purpose: String, context: [UInt8]
  ) throws(Failure) -> SecureBytes {
    guard key.count == keySize else { throw Failure(.bug, "a key of the wrong size") }
    let message = Array(purpose.utf8) + context
    let derived = try SecureBytes(count: keySize)
    _ = unsafe derived.withPointer { out in
      unsafe key.withPointer { key in
        unsafe crypto_generichash(out, keySize, message, UInt64(message.count), key, keySize)
      }
    }
    return derived
  }
}
