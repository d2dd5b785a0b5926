/// What a verdict must have been asked for: the one of the two that the app gave to Play Integrity, byte for byte.
public enum PlayIntegrityRequest: Sendable {
  /// `requestHash` of a standard request, at most 500 bytes: a digest of what the verdict guards, with a challenge in it. Google's
  /// servers alone open its token: it is for ``PlayIntegrityPolicy/verdict(_:request:now:)``.
  case hash(String)
  /// `nonce` of a classic request, whose token opens with the app's own keys: base64 for URLs, 16 to 500 characters. Padding at its end
  /// does not count.
  case nonce(String)
}
