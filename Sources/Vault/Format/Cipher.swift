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

  /// XChaCha20-Poly1305-IETF: the ciphertext and its 16-byte tag, into memory of that size.
  static func seal(
    _ plain: borrowing SecureBytes, key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8],
    into sealed: UnsafeMutableRawBufferPointer
  ) throws(Failure) {
    guard key.count == keySize, nonce.count == nonceSize, sealed.count == plain.count + tagSize,
      let out = unsafe sealed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { throw Failure(.bug, "a key of the wrong size") }
    let size = UInt64(plain.count)
    unsafe plain.withPointer { plain in
      unsafe key.withPointer { key in
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          out, nil, plain, size, associated, UInt64(associated.count), nil, nonce, key)
      }
    }
  }

  /// The same for something small, such as a key.
  static func seal(
    _ plain: borrowing SecureBytes, key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> [UInt8] {
    let sealed = try ByteBlock(count: plain.count + tagSize)
    try unsafe sealed.withMutableBytes { bytes throws(Failure) in
      try unsafe seal(plain, key: key, nonce: nonce, associated: associated, into: bytes)
    }
    return sealed.prefix(sealed.count)
  }

  /// The plaintext, or nil when the tag does not match.
  static func open(
    _ sealed: UnsafeRawBufferPointer, key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> SecureBytes? {
    guard key.count == keySize, nonce.count == nonceSize, sealed.count >= tagSize,
      let start = unsafe sealed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    let plain = try SecureBytes(count: sealed.count - tagSize)
    let status = unsafe plain.withPointer { plain in
      unsafe key.withPointer { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          plain, nil, nil, start, UInt64(sealed.count), associated, UInt64(associated.count), nonce, key)
      }
    }
    guard status == 0 else { return nil }
    return plain
  }

  /// The same for something small, such as a wrapped key.
  static func open(
    _ sealed: [UInt8], key: borrowing SecureBytes, nonce: [UInt8], associated: [UInt8]
  ) throws(Failure) -> SecureBytes? {
    try unsafe ByteBlock(sealed).withBytes { bytes throws(Failure) in
      try unsafe open(bytes, key: key, nonce: nonce, associated: associated)
    }
  }

  /// 32 secret bytes from a key: BLAKE2b-256 keyed with it, over `purpose` (ASCII) and `context`.
  static func derive(
    from key: borrowing SecureBytes, purpose: String, context: [UInt8]
  ) throws(Failure) -> SecureBytes {
    let derived = try SecureBytes(count: keySize)
    try unsafe derived.withPointer { out throws(Failure) in try unsafe derive(from: key, purpose, context, into: out) }
    return derived
  }

  /// The same for bytes that may be seen.
  static func deriveTag(from key: borrowing SecureBytes, purpose: String, context: [UInt8]) throws(Failure) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: keySize)
    try unsafe derive(from: key, purpose, context, into: &tag)
    return tag
  }

  private static func derive(
    from key: borrowing SecureBytes, _ purpose: String, _ context: [UInt8], into out: UnsafeMutablePointer<UInt8>
  ) throws(Failure) {
    guard key.count == keySize else { throw Failure(.bug, "a key of the wrong size") }
    let message = Array(purpose.utf8) + context
    unsafe key.withPointer { key in
      _ = unsafe crypto_generichash(out, keySize, message, UInt64(message.count), key, keySize)
    }
  }
}
