public import Basics

/// A refresh token: `mfr_` and base64url of a handle of 16 bytes, by which its family is found, and 32 random bytes; always 68 characters,
/// all of them fit for RFC 6749's grammar. The handle is the same for all tokens of a family.
public struct RefreshToken: StoredSecret, Sendable, CustomStringConvertible {
  /// How many bytes name the family.
  public static let handleSize = 16
  static let secretSize = 32
  static let prefix: StaticString = "mfr_"

  let bytes: TokenBytes

  private init(_ bytes: TokenBytes) { self.bytes = bytes }

  /// A handle for a new family.
  public static func newHandle() throws(Failure) -> [UInt8] {
    guard let bytes = TokenBytes(prefix: "", count: handleSize) else { throw .noRandomNumbers }
    return unsafe bytes.withBytes { unsafe Array($0) }
  }

  /// A new token of the family with this handle. Throws ``FailureCode/bug`` for a handle of another size, and when the system has no
  /// random numbers.
  public static func make(handle: [UInt8]) throws(Failure) -> RefreshToken {
    guard handle.count == handleSize else { throw Failure(.bug, "a family's handle has \(handle.count) bytes") }
    guard let bytes = TokenBytes(prefix: prefix, given: handle, count: handleSize + secretSize) else {
      throw .noRandomNumbers
    }
    return RefreshToken(bytes)
  }

  /// One that is presented; nil for any text that ``text`` does not give.
  public init?(_ text: String) {
    guard
      let bytes = TokenBytes.read(
        text, prefix: RefreshToken.prefix, count: RefreshToken.handleSize + RefreshToken.secretSize)
    else { return nil }
    self.bytes = bytes
  }

  /// What the client gets.
  public var text: String { bytes.text(after: RefreshToken.prefix) }

  /// How its family is named.
  public var handle: [UInt8] { unsafe bytes.withBytes { unsafe Array($0[RefreshToken.handleRange]) } }

  /// Lends prefix, handle and the random bytes.
  public func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe bytes.withBytes(body) }

  /// Nothing of it.
  public var description: String { "<refresh token>" }

  /// A token of the same family with 32 bytes that `fill` writes; nil when it returns false.
  func sibling(_ fill: (UnsafeMutableRawBufferPointer) -> Bool) -> RefreshToken? {
    let made = unsafe TokenBytes(count: bytes.count) { target in
      unsafe bytes.withBytes { unsafe target.copyMemory(from: $0) }
      return unsafe fill(UnsafeMutableRawBufferPointer(rebasing: target[RefreshToken.secretRange]))
    }
    return made.map { RefreshToken($0) }
  }

  /// Lends the random bytes.
  func withSecret<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    unsafe bytes.withBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[RefreshToken.secretRange])) }
  }

  private static let handleRange = prefix.utf8CodeUnitCount..<prefix.utf8CodeUnitCount + handleSize
  private static let secretRange = handleRange.upperBound..<handleRange.upperBound + secretSize
}
