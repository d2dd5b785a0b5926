public import Basics
public import SecureMemory

/// What a resource server shows to be the one that was registered: a secret of 32 random bytes as `mfs_` and 43 characters of
/// base64url, or a text of 32 to 256 characters that its operator chose. All of them stand for themselves in a form and in an
/// `Authorization` field, encoded for a form or not (RFC 6749 2.3.1).
public struct ResourceSecret: StoredSecret, Sendable, CustomStringConvertible {
  /// How many characters there are.
  public static let lengths = 32...256

  // Hashed with it, so that it is taken for nothing else that is stored as a hash.
  private static let label: StaticString = "resource "

  private let bytes: TokenBytes

  /// A new one. Throws when the system has no random numbers.
  public static func make() throws(Failure) -> ResourceSecret {
    let prefix: StaticString = "mfs_", size = prefix.utf8CodeUnitCount
    guard let random = TokenBytes(prefix: prefix, count: 32) else { throw .noRandomNumbers }
    let length = size + Base64Text.size(32)
    // One byte more, for the zero that libsodium ends a text with.
    let text = try SecureBytes(count: length + 1)
    unsafe text.withMutableBytes { text in
      unsafe TokenBytes.put(prefix, text)
      unsafe random.withBytes {
        unsafe Base64Text.encode(
          UnsafeRawBufferPointer(rebasing: $0[size...]), into: text.bindMemory(to: UInt8.self), at: size)
      }
    }
    let whole = try text.prefix(length)
    guard let secret = ResourceSecret(whole) else { throw .noRandomNumbers }
    return secret
  }

  /// One that is presented or was chosen; nil for a text that is too short or too long, or has other characters than A-Z a-z 0-9 . _ -
  public init?(_ text: borrowing SecureBytes) {
    let size = ResourceSecret.label.utf8CodeUnitCount
    let bytes = unsafe text.withBytes { text -> TokenBytes? in
      guard ResourceSecret.lengths.contains(text.count), unsafe text.allSatisfy(ResourceSecret.isCharacter) else {
        return nil
      }
      return unsafe TokenBytes(count: size + text.count) { target in
        unsafe TokenBytes.put(ResourceSecret.label, target)
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[size...]).copyMemory(from: text)
        return true
      }
    }
    guard let bytes else { return nil }
    self.bytes = bytes
  }

  /// Lends label and text.
  public func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe bytes.withBytes(body) }

  /// Lends the text, for who is to keep it.
  public func withText<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe bytes.withBytes { bytes throws(E) in
      try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[ResourceSecret.label.utf8CodeUnitCount...]))
    }
  }

  /// Nothing of it.
  public var description: String { "<resource server's secret>" }

  private static func isCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}
