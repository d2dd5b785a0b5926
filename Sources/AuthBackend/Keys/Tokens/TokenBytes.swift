internal import CSodium
internal import Glibc

/// The bytes of something that a client holds: wiped when nobody needs them any more. They are not in guarded pages, which cost more than
/// all else that is done with a token: its text stands in a request or an answer, which are not either.
@safe final class TokenBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  private let base: UnsafeMutableRawPointer
  let count: Int

  /// Bytes that `fill` writes, once; nil when it returns false. `count` is a small constant of ours.
  init?(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Bool) {
    unsafe base = .allocate(byteCount: count, alignment: 16)
    self.count = count
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    guard unsafe fill(UnsafeMutableRawBufferPointer(start: base, count: count)) else { return nil }
  }

  deinit {
    unsafe sodium_memzero(base, count)
    unsafe base.deallocate()
  }

  func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// `<token, N bytes>`.
  var description: String { "<token, \(count) bytes>" }
  /// Nothing to see.
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The bytes of a text that is `prefix` and then base64url of `count` bytes; nil for any other text. What is wrong with one of the
  /// right length does not show in the time it takes.
  static func read(_ text: String, prefix: StaticString, count: Int) -> TokenBytes? {
    let size = prefix.utf8CodeUnitCount
    guard text.utf8.count == size + Base64Text.size(count) else { return nil }
    var text = text
    return text.withUTF8 { text in
      let text = UnsafeRawBufferPointer(text)
      return unsafe TokenBytes(count: size + count) { bytes in
        unsafe put(prefix, bytes)
        guard let own = bytes.baseAddress, let given = text.baseAddress else { return false }
        let isPrefix = unsafe sodium_memcmp(own, given, size) == 0
        let isText = unsafe Base64Text.decode(
          UnsafeRawBufferPointer(rebasing: text[size...]), into: UnsafeMutableRawBufferPointer(rebasing: bytes[size...])
        )
        return isPrefix && isText
      }
    }
  }

  /// New bytes: `prefix`, some that are given, and random ones up to `count`.
  convenience init?(prefix: StaticString, given: [UInt8] = [], count: Int) {
    let size = prefix.utf8CodeUnitCount
    unsafe self.init(count: size + count) { bytes in
      guard given.count < count, sodium_init() >= 0, let start = bytes.baseAddress else { return false }
      unsafe TokenBytes.put(prefix, bytes)
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[size...]).copyBytes(from: given)
      unsafe randombytes_buf(start + size + given.count, count - given.count)
      return true
    }
  }

  /// `prefix` and base64url of the rest.
  func text(after prefix: StaticString) -> String {
    let size = prefix.utf8CodeUnitCount, length = size + Base64Text.size(count - size)
    let text = unsafe [UInt8](unsafeUninitializedCapacity: length + 1) { buffer, count in
      unsafe withBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<size]))
        unsafe Base64Text.encode(UnsafeRawBufferPointer(rebasing: bytes[size...]), into: buffer, at: size)
      }
      count = length
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func put(_ prefix: StaticString, _ bytes: UnsafeMutableRawBufferPointer) {
    prefix.withUTF8Buffer { unsafe bytes.copyMemory(from: UnsafeRawBufferPointer($0)) }
  }
}
