public import Basics

/// A secret of 32 random bytes that a client holds and that says nothing: an authorization code, a browser's cookie, a device
/// code. Its text is a prefix for its kind and 43 characters of base64url, all of them fit for RFC 6749's grammar, a URL and a cookie.
public struct OpaqueToken: StoredSecret, Sendable, CustomStringConvertible {
  /// What it is. The prefix is hashed with it, so that one kind is never taken for another.
  public enum Kind: Sendable, CaseIterable {
    /// An authorization code (RFC 6749 4.1.2): `mfc_`.
    case code
    /// A browser's session at this server, a cookie: `mfb_`.
    case browser
    /// A device code (RFC 8628 3.2): `mfd_`.
    case device

    var prefix: StaticString {
      switch self {
      case .code: "mfc_"
      case .browser: "mfb_"
      case .device: "mfd_"
      }
    }
  }

  /// How many random bytes there are.
  public static let size = 32

  /// What it is.
  public let kind: Kind
  private let bytes: TokenBytes

  /// A new one. Throws when the system has no random numbers.
  public init(_ kind: Kind) throws(Failure) {
    guard let bytes = TokenBytes(prefix: kind.prefix, count: OpaqueToken.size) else { throw .noRandomNumbers }
    (self.kind, self.bytes) = (kind, bytes)
  }

  /// One that is presented; nil for any text that ``text`` does not give.
  public init?(_ kind: Kind, _ text: String) {
    guard let bytes = TokenBytes.read(text, prefix: kind.prefix, count: OpaqueToken.size) else { return nil }
    (self.kind, self.bytes) = (kind, bytes)
  }

  /// What the client gets.
  public var text: String { bytes.text(after: kind.prefix) }

  /// Lends prefix and bytes.
  public func withHashedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { unsafe bytes.withBytes(body) }

  /// Nothing of it.
  public var description: String { "<opaque token>" }
}

extension Failure {
  static let noRandomNumbers = Failure(.inputOutput, "the system has no source of random numbers")
}
