internal import Glibc

/// Ordinary memory that is wiped before it is given back: for what came out of a socket's buffer and soon ends, where a guarded
/// page for each request would cost more than the request. It is written while a form is read, which one thread does, and only read after.
@safe final class WipedBytes: @unchecked Sendable {
  let buffer: UnsafeMutableRawBufferPointer

  /// Zero bytes; nil when memory ran out.
  init?(count: Int) {
    guard let base = unsafe calloc(max(count, 1), 1) else { return nil }
    unsafe buffer = UnsafeMutableRawBufferPointer(start: base, count: count)
  }

  deinit {
    guard let base = unsafe buffer.baseAddress else { return }
    unsafe explicit_bzero(base, buffer.count)
    unsafe free(base)
  }

  /// A part as a text; nil when it is not UTF-8.
  func text(_ range: Range<Int>) -> String? {
    unsafe String(validating: UnsafeRawBufferPointer(rebasing: buffer[range]), as: UTF8.self)
  }

  /// Whether a part is UTF-8; no copy outlives the question where the bytes are ASCII.
  func isText(_ range: Range<Int>) -> Bool {
    unsafe buffer[range].allSatisfy { $0 < 0x80 } || text(range) != nil
  }

  /// Whether a part has a NUL, at which C would end a text.
  func hasZero(_ range: Range<Int>) -> Bool { unsafe buffer[range].contains(0) }
}
