internal import Basics
internal import CLinux
internal import CSodium
internal import Glibc

/// A private copy of a file's bytes that nobody can change any more: a sealed memfd. What is hashed and inspected here
/// is what the plugin's process loads.
@safe final class SealedImage {
  /// The memfd.
  let descriptor: FileDescriptor
  private let bytes: UnsafeRawBufferPointer

  /// Copies a file of at most `limit` bytes. Throws ``FailureCode/inputOutput`` when there is no memory or the file
  /// cannot be read, ``FailureCode/pluginRefused`` when it is larger or empty.
  init(copying file: borrowing FileDescriptor, name: String, limit: Int) throws(Failure) {
    let size = Int(clamping: try file.status().st_size)
    guard size <= limit else { throw Failure(.pluginRefused, "\(name) is larger than \(limit) bytes") }
    guard size > 0 else { throw Failure(.pluginRefused, "\(name) is empty") }
    let number = unsafe clinux_memfd_create("mfs-strategy", SealedImage.closeOnExec | SealedImage.allowSealing)
    guard number >= 0 else { throw .system("make a copy of \(name) in memory") }
    let copy = FileDescriptor(owning: number)
    try SealedImage.fill(copy, size, from: file, name)
    guard clinux_add_seals(number, SealedImage.allSeals) == 0 else { throw .system("seal the copy of \(name)") }
    guard let base = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, number, 0), unsafe base != MAP_FAILED else {
      throw .system("map the copy of \(name)")
    }
    unsafe bytes = UnsafeRawBufferPointer(start: base, count: size)
    descriptor = copy
  }

  // Straight from the file into the memfd's pages.
  private static func fill(
    _ copy: borrowing FileDescriptor, _ size: Int, from file: borrowing FileDescriptor, _ name: String
  ) throws(Failure) {
    guard ftruncate(copy.raw, size) == 0,
      let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, copy.raw, 0), unsafe base != MAP_FAILED
    else { throw .system("make a copy of \(name) in memory") }
    defer { unsafe munmap(base, size) }
    var done = 0
    while done < size {
      let got = unsafe pread(file.raw, base + done, size - done, done)
      if got < 0, clinux_errno() == EINTR { continue }
      guard got >= 0 else { throw .system("read \(name)") }
      guard got > 0 else { throw Failure(.pluginRefused, "\(name) changed while it was read") }
      done += got
    }
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

  /// SHA-256 of the bytes.
  var digest: SHA256Digest { unsafe withBytes { unsafe SHA256Digest(of: $0) } }

  /// Lends the bytes.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe body(bytes) }

  // linux/memfd.h and linux/fcntl.h, as numbers of the kernel's interface.
  private static let closeOnExec: UInt32 = 1
  private static let allowSealing: UInt32 = 2
  private static let allSeals: Int32 = 0x1 | 0x2 | 0x4 | 0x8
}

/// A SHA-256 digest (FIPS 180-4).
struct SHA256Digest: Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  init(of data: UnsafeRawBufferPointer) {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe crypto_hash_sha256(&digest, data.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(data.count))
    bytes = digest
  }

  init(of data: [UInt8]) { self = unsafe data.withUnsafeBytes { unsafe SHA256Digest(of: $0) } }

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
  var description: String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Whether two digests are the same, in a time that does not depend on where they differ.
  func equals(_ other: SHA256Digest) -> Bool { unsafe sodium_memcmp(bytes, other.bytes, 32) == 0 }
}
