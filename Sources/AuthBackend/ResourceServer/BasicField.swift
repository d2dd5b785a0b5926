internal import Basics
internal import CSodium
internal import SecureMemory

/// The value of an `Authorization` field with name and secret (RFC 7617), in guarded memory.
enum BasicField {
  static func value(name: String, secret: SecureBox) throws(Failure) -> SecureBox {
    let pair = try SecureBuffer(limit: 4_096)
    guard try pair.append(publicText: name + ":"), try pair.append(secret.bytes) else {
      throw Failure(.configuration, "the resource server's name and secret are too long")
    }
    let scheme = "Basic "
    let size = scheme.utf8.count + (pair.count + 2) / 3 * 4
    // One more for the zero that libsodium writes.
    let text = try SecureBytes(count: size + 1)
    unsafe text.withMutableBytes { target in
      unsafe pair.withBytes { source in
        unsafe target.copyBytes(from: scheme.utf8)
        guard let start = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self),
          let bytes = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        _ = unsafe sodium_bin2base64(
          start + scheme.utf8.count, size + 1 - scheme.utf8.count, bytes, source.count,
          sodium_base64_VARIANT_ORIGINAL)
      }
    }
    return SecureBox(try text.prefix(size))
  }
}
