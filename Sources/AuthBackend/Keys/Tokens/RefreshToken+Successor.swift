public import Basics
internal import CSodium

extension RefreshToken {
  /// A successor, sealed so that only who presents this token opens it: what the store keeps for the grace, in which a client that
  /// lost the answer is given the same successor again. XChaCha20-Poly1305 (random nonce, 24 bytes, in front) under a key that is made
  /// of this token's random bytes; 72 bytes. Throws ``FailureCode/bug`` for a token of another family.
  public func seal(successor: RefreshToken) throws(Failure) -> [UInt8] {
    guard successor.handle == handle, sodium_init() >= 0 else {
      throw Failure(.bug, "a refresh token's successor is of another family")
    }
    let size = RefreshToken.sealedSize
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      unsafe randombytes_buf(start, RefreshToken.nonceSize)
      unsafe withSuccessorKey { key in
        unsafe successor.withSecret { plain in
          let plain = unsafe plain.bindMemory(to: UInt8.self)
          _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            start + RefreshToken.nonceSize, nil, plain.baseAddress, UInt64(plain.count), nil, 0, nil, start, key)
        }
      }
      count = size
    }
  }

  /// The successor that was sealed under this token; nil when it was under another one, or was changed.
  public func openSuccessor(_ sealed: [UInt8]) -> RefreshToken? {
    guard sealed.count == RefreshToken.sealedSize else { return nil }
    return unsafe sibling { target in
      unsafe withSuccessorKey { key in
        unsafe sealed.withUnsafeBufferPointer { sealed in
          guard let start = sealed.baseAddress, let plain = unsafe target.bindMemory(to: UInt8.self).baseAddress else {
            return false
          }
          return unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            plain, nil, nil, start + RefreshToken.nonceSize, UInt64(sealed.count - RefreshToken.nonceSize), nil, 0,
            start, key
          ) == 0
        }
      }
    }
  }

  private static let nonceSize = Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES)
  private static let sealedSize = nonceSize + secretSize + Int(crypto_aead_xchacha20poly1305_ietf_ABYTES)
  // What is hashed under the pepper is never hashed under this.
  private static let successorContext: StaticString = "mfs-authd 1 refresh token successor"

  /// BLAKE2b-256 keyed with the random bytes, over what it is for and the handle; wiped afterwards.
  private func withSuccessorKey<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
    let message = RefreshToken.successorContext.withUTF8Buffer { unsafe Array($0) } + handle
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RefreshToken.secretSize) { key in
      let start = unsafe key.baseAddress.unsafelyUnwrapped
      defer { unsafe sodium_memzero(start, key.count) }
      unsafe withSecret { secret in
        _ = unsafe crypto_generichash(
          start, key.count, message, UInt64(message.count), secret.baseAddress?.assumingMemoryBound(to: UInt8.self),
          secret.count)
      }
      return unsafe body(start)
    }
  }
}
