public import SecureMemory

/// What the client knows of the sign-in that an ID token must fit.
public struct IDTokenExpectation {
  /// How the token came, which decides what it must hold.
  public enum Origin: Sendable {
    /// From the token endpoint in exchange for a code (OpenID Connect Core 3.1.3.7): `at_hash` and `c_hash` are
    /// checked when they are there.
    case code
    /// From the authorisation endpoint through the browser (3.2.2.11, 3.3.2.12): a nonce was sent, and the hashes of
    /// an access token and of a code that came along must be there, since nothing else ties them to it.
    case authorization
    /// From the token endpoint in exchange for a refresh token (12.2): the nonce may be missing.
    case refresh
  }

  /// How it came.
  public var origin: Origin
  /// The nonce that was sent; nil when none was.
  public var nonce: SecureBox?
  /// The access token that came with it.
  public var accessToken: SecureBox?
  /// The code that it came with, or was exchanged for.
  public var code: SecureBox?
  /// `max_age` as it was sent, in seconds.
  public var maximumAge: Int64?
  /// Who signed in before; the `sub` of an earlier token.
  public var subject: String?

  /// An expectation.
  public init(
    _ origin: Origin, nonce: SecureBox? = nil, accessToken: SecureBox? = nil, code: SecureBox? = nil,
    maximumAge: Int64? = nil, subject: String? = nil
  ) {
    self.origin = origin
    self.nonce = nonce
    self.accessToken = accessToken
    self.code = code
    self.maximumAge = maximumAge
    self.subject = subject
  }
}
