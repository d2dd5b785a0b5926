public import Basics
internal import CSodium

/// Bytes that are secret: in guarded, locked memory (`sodium_malloc`: no core dump, no swap where the limit allows,
/// guard pages around), wiped when this value ends. It cannot be copied, only borrowed or given away.
///
/// Sizes are in bytes. An empty value is a value.
@safe public struct SecureBytes: ~Copyable {
  private let base: UnsafeMutableRawPointer
  // Who owns the memory when this is a view into another secret's; nil when this value owns it.
  private let owner: SecureBox?
  /// How many bytes there are.
  public let count: Int

  /// `count` zero bytes for the caller to fill. Throws ``FailureCode/outOfMemory``.
  public init(count: Int) throws(Failure) {
    guard count >= 0, SecureMemory.isReady, let base = unsafe sodium_malloc(max(count, 1)) else {
      throw Failure(.outOfMemory, "cannot allocate \(count) bytes of guarded memory", hint: Failure.memoryHint)
    }
    unsafe sodium_memzero(base, max(count, 1))
    unsafe self.base = unsafe base
    owner = nil
    self.count = count
  }

  /// Part of another secret, sharing its memory: guarded pages are dear, so what was decrypted together stays
  /// together. The part keeps the whole alive. Throws ``FailureCode/bug`` for a range outside the secret.
  public init(viewing whole: SecureBox, _ range: Range<Int>) throws(Failure) {
    guard range.lowerBound >= 0, range.upperBound <= whole.bytes.count else {
      throw Failure(.bug, "a view outside of its secret was asked for")
    }
    unsafe base = unsafe whole.bytes.base + range.lowerBound
    owner = whole
    count = range.count
  }

  /// A copy of bytes that are elsewhere; the caller wipes the other copy if it is a secret too.
  public init(copying bytes: UnsafeRawBufferPointer) throws(Failure) {
    try self.init(count: bytes.count)
    if let source = bytes.baseAddress { unsafe base.copyMemory(from: source, byteCount: bytes.count) }
  }

  /// A copy of the UTF-8 of a text that is not secret, such as an identifier.
  public init(publicText text: String) throws(Failure) {
    let bytes = Array(text.utf8)
    try self.init(count: bytes.count)
    unsafe base.copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// `count` random bytes from the system's generator.
  public static func random(count: Int) throws(Failure) -> SecureBytes {
    let bytes = try SecureBytes(count: count)
    unsafe randombytes_buf(bytes.base, count)
    return bytes
  }

  deinit { if owner == nil { unsafe sodium_free(base) } }

  /// Lends the bytes for reading. They must not be kept, nor copied to anything that is not wiped.
  public borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Lends the bytes for writing.
  public borrowing func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeMutableRawBufferPointer(start: base, count: count))
  }

  /// Lends the bytes to a C function. The pointer is never null, even when there are no bytes.
  public borrowing func withPointer<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutablePointer<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(base.assumingMemoryBound(to: UInt8.self))
  }

  /// A second copy, in guarded memory too.
  public borrowing func copy() throws(Failure) -> SecureBytes {
    try unsafe withBytes { bytes throws(Failure) in try unsafe SecureBytes(copying: bytes) }
  }

  /// The first `count` bytes, or all of them when there are fewer.
  public borrowing func prefix(_ count: Int) throws(Failure) -> SecureBytes {
    try unsafe withBytes { bytes throws(Failure) in
      try unsafe SecureBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, count))))
    }
  }

  /// Whether two secrets are the same, in a time that depends on their lengths only.
  public borrowing func equals(_ other: borrowing SecureBytes) -> Bool {
    guard count == other.count else { return false }
    return unsafe sodium_memcmp(base, other.base, count) == 0
  }

  /// The text of a value that is not secret (an identifier, a deadline); nil when it is not UTF-8.
  public borrowing func publicText() -> String? {
    unsafe withBytes { bytes in unsafe String(validating: bytes, as: UTF8.self) }
  }
}

/// Start-up of the guarded allocator.
enum SecureMemory {
  /// Whether libsodium has started; it never fails on Linux but for a system without random numbers.
  static let isReady = sodium_init() >= 0
}
