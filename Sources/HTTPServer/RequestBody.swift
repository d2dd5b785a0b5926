internal import Glibc

/// The body of a request: bytes that may hold a password, so they are wiped when the last holder lets go.
///
/// What the library below keeps of a message in its own buffers is not wiped; guarded memory would have to begin there.
@safe public final class RequestBody: @unchecked Sendable {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// How many bytes there are.
  public private(set) var count = 0

  init() {}

  deinit { release() }

  /// Lends the bytes for reading. They must not be kept.
  public func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Adds bytes; false when memory ran out. Only the thread that receives the request calls this, before anybody else
  /// has the body.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
    guard let place = unsafe room(for: bytes.count) else { return false }
    unsafe (place + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
    return true
  }

  private func room(for added: Int) -> UnsafeMutableRawPointer? {
    if let base = unsafe base, capacity - count >= added { return unsafe base }
    let wanted = max(1_024, capacity * 2, count + added)
    guard let larger = unsafe malloc(wanted) else { return nil }
    let count = self.count
    if let base = unsafe base { unsafe larger.copyMemory(from: base, byteCount: count) }
    release()
    unsafe base = unsafe larger
    self.count = count
    capacity = wanted
    return unsafe larger
  }

  private func release() {
    guard let base = unsafe base else { return }
    unsafe explicit_bzero(base, capacity)
    unsafe free(base)
    unsafe self.base = nil
    (capacity, count) = (0, 0)
  }
}
