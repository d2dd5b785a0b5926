internal import COpenSSL
internal import SecureMemory

/// AES with a key of 32 bytes, as JWE uses it. All results are in guarded memory.
enum AES256 {
  /// The key that was wrapped (RFC 3394, RFC 7518 4.4); nil when it was not wrapped by this one.
  static func unwrap(_ wrapped: [UInt8], by key: borrowing SecureBytes) throws(AttestationRefusal) -> SecureBytes? {
    defer { LibCrypto.forgetErrors() }
    guard key.count == 32, wrapped.count > 16, let length = Int32(exactly: wrapped.count) else { return nil }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw AttestationRefusal(.unavailable) }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    guard let room = try? SecureBytes(count: wrapped.count) else { throw AttestationRefusal(.unavailable) }
    unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
    var count: Int32 = 0
    let isDone = unsafe key.withPointer { key in
      unsafe room.withPointer { target in
        unsafe EVP_DecryptInit_ex(context, EVP_aes_256_wrap(), nil, key, nil) == 1
          && EVP_DecryptUpdate(context, target, &count, wrapped, length) == 1
      }
    }
    guard isDone, Int(count) == wrapped.count - 8 else { return nil }
    guard let unwrapped = try? room.prefix(Int(count)) else { throw AttestationRefusal(.unavailable) }
    return unwrapped
  }

  /// What was encrypted by AES-GCM with a nonce of 12 bytes and a tag of 16; nil when one of them, the key or the additional data is
  /// another.
  static func decrypt(
    _ ciphertext: [UInt8], tag: [UInt8], nonce: [UInt8], additional: UnsafeRawBufferPointer,
    by key: borrowing SecureBytes
  ) throws(AttestationRefusal) -> SecureBytes? {
    defer { LibCrypto.forgetErrors() }
    guard key.count == 32, nonce.count == 12, tag.count == 16, let length = Int32(exactly: ciphertext.count),
      let additionalLength = Int32(exactly: additional.count)
    else { return nil }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw AttestationRefusal(.unavailable) }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    guard let content = try? SecureBytes(count: ciphertext.count) else { throw AttestationRefusal(.unavailable) }
    // The library takes the tag as memory that it may write to.
    var tag = tag
    var count: Int32 = 0, rest: Int32 = 0
    let bytes = unsafe additional.bindMemory(to: UInt8.self).baseAddress
    let isDone = unsafe key.withPointer { key in
      unsafe content.withPointer { target in
        unsafe EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
          && EVP_DecryptUpdate(context, nil, &count, bytes, additionalLength) == 1
          && EVP_DecryptUpdate(context, target, &count, ciphertext, length) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
          && EVP_DecryptFinal_ex(context, target + Int(count), &rest) == 1
      }
    }
    guard isDone, Int(count) + Int(rest) == ciphertext.count else { return nil }
    return content
  }
}
