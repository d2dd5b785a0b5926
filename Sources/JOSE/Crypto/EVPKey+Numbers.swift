internal import COpenSSL
internal import SecureMemory

extension EVPKey {
  /// A public number of the key, big-endian and without leading zeros, or padded to `width`; nil when it has none.
  func number(_ name: String, width: Int? = nil) -> [UInt8]? {
    unsafe withNumber(name) { number, size in
      let count = width ?? size
      var bytes = [UInt8](repeating: 0, count: count)
      return unsafe BN_bn2binpad(number, &bytes, Int32(clamping: count)) >= 0 ? bytes : nil
    }
  }

  /// The same for a private number.
  func secretNumber(_ name: String, width: Int? = nil) -> SecureBytes? {
    defer { OpenSSL.forgetErrors() }
    var number: OpaquePointer? = unsafe BN_secure_new()
    defer { unsafe BN_clear_free(number) }
    guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number = unsafe number else { return nil }
    let size = (Int(unsafe BN_num_bits(number)) + 7) / 8
    guard let bytes = try? SecureBytes(count: width ?? size) else { return nil }
    let count = Int32(clamping: bytes.count)
    let isDone = unsafe bytes.withPointer { unsafe BN_bn2binpad(number, $0, count) >= 0 }
    guard isDone else { return nil }
    return bytes
  }

  /// The 32 bytes of an Ed25519 public key.
  var rawPublicKey: [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    var count = bytes.count
    guard unsafe EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == 32 else {
      OpenSSL.forgetErrors()
      return nil
    }
    return bytes
  }

  /// The 32 bytes of an Ed25519 private key.
  var rawPrivateKey: SecureBytes? {
    guard let bytes = try? SecureBytes(count: 32) else { return nil }
    var count = 32
    let isDone = unsafe bytes.withPointer { unsafe EVP_PKEY_get_raw_private_key(pointer, $0, &count) == 1 }
    OpenSSL.forgetErrors()
    guard isDone, count == 32 else { return nil }
    return bytes
  }

  private func withNumber(_ name: String, _ body: (OpaquePointer, Int) -> [UInt8]?) -> [UInt8]? {
    defer { OpenSSL.forgetErrors() }
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number = unsafe number else { return nil }
    defer { unsafe BN_free(number) }
    return unsafe body(number, (Int(BN_num_bits(number)) + 7) / 8)
  }
}
