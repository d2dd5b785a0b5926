internal import CSodium

/// SHA-256 (FIPS 180-4), for the whole project.
public enum SHA256 {
  /// The 32 bytes of a digest.
  public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    _ = unsafe crypto_hash_sha256(&digest, start, UInt64(bytes.count))
    return digest
  }

  /// That of bytes.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe hash($0) } }

  /// That of a text in UTF-8.
  public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }
}
