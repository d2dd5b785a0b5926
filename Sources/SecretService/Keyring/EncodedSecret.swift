internal import Basics
internal import CSecret
internal import CSodium
internal import SecureMemory

/// A secret as the keyring holds it: base64, because some keyrings lose values with line ends or NULs. It goes from
/// guarded memory to libsecret's own non-pageable memory and nowhere else.
struct EncodedSecret: ~Copyable {
  private let base64: SecureBytes
  private let count: Int

  /// Encodes bytes (RFC 4648 section 4, padded).
  init(_ bytes: borrowing SecureBytes) throws(Failure) {
    // With room for the NUL that the encoder ends with.
    let size = sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL)
    let base64 = try SecureBytes(count: size)
    unsafe bytes.withBytes { source in
      unsafe base64.withMutableBytes { target in
        guard let text = target.baseAddress, let bytes = source.baseAddress else { return }
        _ = unsafe sodium_bin2base64(
          text.assumingMemoryBound(to: CChar.self), size, bytes.assumingMemoryBound(to: UInt8.self), source.count,
          sodium_base64_VARIANT_ORIGINAL)
      }
    }
    self.base64 = base64
    count = size - 1
  }

  /// A value of libsecret's with a copy; the caller unrefs it.
  borrowing func makeValue() -> OpaquePointer? {
    let count = self.count
    return unsafe base64.withBytes { bytes in
      unsafe secret_value_new(
        bytes.baseAddress?.assumingMemoryBound(to: gchar.self), count, "application/octet-stream")
    }
  }
}

/// What a keyring gave back for an item.
enum StoredSecret {
  /// The bytes under the base64.
  case bytes(SecureBox)
  /// Something that is not base64, so nothing that was written here.
  case unreadable

  /// Decodes a value of libsecret's, which stays the caller's.
  init(_ value: OpaquePointer) throws(Failure) {
    var length: gsize = 0
    guard let text = unsafe secret_value_get(value, &length) else {
      self = .unreadable
      return
    }
    let decoded = try SecureBytes(count: Int(length) / 4 * 3 + 3)
    var count = 0
    let status = unsafe decoded.withMutableBytes { target -> Int32 in
      guard let bytes = target.baseAddress else { return -1 }
      return unsafe sodium_base642bin(
        bytes.assumingMemoryBound(to: UInt8.self), target.count, text, Int(length), nil, &count, nil,
        sodium_base64_VARIANT_ORIGINAL)
    }
    self = status == 0 ? .bytes(SecureBox(try decoded.prefix(count))) : .unreadable
  }
}
