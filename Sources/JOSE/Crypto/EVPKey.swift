internal import COpenSSL

/// A key inside libcrypto, public or private, with its memory: the library clears what is private as it frees it. The
/// key never changes after it was made, so threads may use it at once.
@safe final class EVPKey: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes a key over.
  init(owning pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The kind of key that it is for us; nil for one that no algorithm here uses.
  var type: KeyType? {
    if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
    if unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .ed25519 }
    return unsafe EVP_PKEY_is_a(pointer, "EC") == 1 && isOnP256 ? .p256 : nil
  }

  /// The bits of an RSA modulus, or of the curve's field.
  var bits: Int { Int(unsafe EVP_PKEY_get_bits(pointer)) }

  private var isOnP256: Bool {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else {
      OpenSSL.forgetErrors()
      return false
    }
    return name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
  }

  /// A new key pair; nil when the library cannot.
  static func generate(_ type: KeyType, bits: Int) -> EVPKey? {
    let made: OpaquePointer? =
      switch type {
      case .rsa: unsafe copenssl_generate_rsa(bits)
      case .p256: unsafe copenssl_generate_ec("P-256")
      case .ed25519: unsafe copenssl_generate_ed25519()
      }
    OpenSSL.forgetErrors()
    guard let made = unsafe made else { return nil }
    return unsafe EVPKey(owning: made)
  }

  /// Whether the private half belongs to the public one.
  var isConsistentPair: Bool {
    defer { OpenSSL.forgetErrors() }
    guard let context = unsafe EVP_PKEY_CTX_new(pointer, nil) else { return false }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return unsafe EVP_PKEY_pairwise_check(context) == 1
  }
}
