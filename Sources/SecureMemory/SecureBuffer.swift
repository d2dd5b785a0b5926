public import Basics

/// Secret bytes that arrive piece by piece: grows in guarded memory, up to a limit, and wipes what it leaves behind.
public final class SecureBuffer {
  private var storage: SecureBytes
  /// How many bytes it holds.
  public private(set) var count = 0
  /// The most bytes it will hold.
  public let limit: Int

  /// An empty buffer that holds at most `limit` bytes. Throws ``FailureCode/outOfMemory``.
  public init(limit: Int) throws(Failure) {
    self.limit = max(0, limit)
    storage = try SecureBytes(count: min(self.limit, 2_048))
  }

  /// Adds bytes, all or none; returns false when they would go beyond the limit.
  @discardableResult
  public func append(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Bool {
    guard bytes.count <= limit - count else { return false }
    let needed = count + bytes.count
    if needed > storage.count {
      let larger = try SecureBytes(count: min(limit, max(needed, storage.count &* 2)))
      let kept = count
      unsafe storage.withBytes { old in
        unsafe larger.withMutableBytes { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[..<kept])) }
      }
      storage = larger
    }
    let start = count
    unsafe storage.withMutableBytes { target in
      unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<needed]).copyMemory(from: bytes)
    }
    count = needed
    return true
  }

  /// Adds the UTF-8 of a text that is not secret.
  @discardableResult
  public func append(publicText text: String) throws(Failure) -> Bool {
    let bytes = Array(text.utf8)
    var outcome: Result<Bool, Failure> = .success(false)
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(Failure) { outcome = .success(try unsafe append(buffer)) } catch { outcome = .failure(error) }
    }
    return try outcome.get()
  }

  /// Adds a secret.
  @discardableResult
  public func append(_ secret: borrowing SecureBytes) throws(Failure) -> Bool {
    try unsafe secret.withBytes { bytes throws(Failure) in try unsafe append(bytes) }
  }

  /// Lends what has been added so far.
  public func withBytes<R: ~Copyable, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    let count = self.count
    return try unsafe storage.withBytes { bytes throws(E) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
  }

  /// A copy of what has been added so far, of exactly that size.
  public func contents() throws(Failure) -> SecureBytes { try storage.prefix(count) }
}
