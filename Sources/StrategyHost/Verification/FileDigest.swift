internal import Basics
internal import CSodium

/// A BLAKE2b digest of 256 bits (RFC 7693), as `b2sum -l 256` prints it. libsodium computes it five times faster than
/// SHA-256, and every run of a plugin waits for it.
struct FileDigest: Sendable, CustomStringConvertible {
  /// What it is called in a lock file and in output.
  static let algorithm = "blake2b-256"

  private let bytes: [UInt8]

  init(of data: UnsafeRawBufferPointer) {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe crypto_generichash(
      &digest, digest.count, data.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(data.count), nil, 0)
    bytes = digest
  }

  init(of data: [UInt8]) { self = unsafe data.withUnsafeBytes { unsafe FileDigest(of: $0) } }

  /// Reads 64 lower-case hexadecimal digits; nil for anything else.
  init?(hex text: some StringProtocol) {
    func value(_ digit: UInt8) -> UInt8? {
      switch digit {
      case 0x30...0x39: digit - 0x30
      case 0x61...0x66: digit - 0x57
      default: nil
      }
    }
    let digits = text.utf8.compactMap(value)
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// 64 lower-case hexadecimal digits.
  var description: String { Hexadecimal.encode(bytes) }

  /// Whether two digests are the same, in a time that does not depend on where they differ.
  func equals(_ other: FileDigest) -> Bool { unsafe sodium_memcmp(bytes, other.bytes, 32) == 0 }
}
