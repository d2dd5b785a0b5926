public import Basics

/// Why a token is not taken. Two are equal when their reasons are. Neither message nor hint ever holds the token, its
/// signature, a nonce, a code or a hash; what they quote of a token is cleaned and short.
public struct TokenRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of refusal, an open set of stable names.
  public struct Reason: Hashable, Sendable {
    /// The name, e.g. `signature`, for logs and JSON.
    public let name: String

    /// A reason of its own name.
    public init(_ name: String) { self.name = name }
  }

  /// Why.
  public let reason: Reason
  /// What is wrong, as a sentence without a final line end.
  public let message: String
  /// What to do next; nil when the message says it all.
  public let hint: String?

  /// A refusal.
  public init(_ reason: Reason, _ message: String, hint: String? = nil) {
    self.reason = reason
    self.message = message
    self.hint = hint
  }

  /// Message and hint in one line.
  public var description: String { hint.map { "\(message) (\($0))" } ?? message }

  /// Equal when the reasons are.
  public static func == (a: TokenRefusal, b: TokenRefusal) -> Bool { a.reason == b.reason }

  /// As the toolkit's own failure: keys that could not be fetched are worth another try, the rest is refused for good.
  public var failure: Failure {
    Failure(reason == .keysUnavailable ? .network : .serverRefused, message, hint: hint)
  }
}

extension TokenRefusal.Reason {
  /// Larger than ``JWSVerifier/maximumTokenSize``.
  public static let size = Self("size")
  /// Not three parts of base64url.
  public static let form = Self("form")
  /// Encrypted (JWE), which nothing here reads.
  public static let encrypted = Self("encrypted")
  /// A header that is no strict JSON object or has members of a wrong type.
  public static let header = Self("header")
  /// A member that stands twice in header or payload.
  public static let duplicate = Self("duplicate")
  /// An algorithm that is not allowed: `none`, HMAC, or one not on the list.
  public static let algorithm = Self("algorithm")
  /// `crit`, which asks for extensions that nothing here has.
  public static let critical = Self("critical")
  /// `b64`, a payload that is not base64url (RFC 7797).
  public static let unencodedPayload = Self("unencoded-payload")
  /// `typ` names another kind of token.
  public static let type = Self("type")
  /// No key has the token's `kid`, or there is no key at all.
  public static let unknownKey = Self("unknown-key")
  /// The key is not for this: its kind, `alg`, `use` or `key_ops`.
  public static let unsuitableKey = Self("unsuitable-key")
  /// The token names no key and too many fit.
  public static let ambiguousKey = Self("ambiguous-key")
  /// The issuer's keys could not be fetched.
  public static let keysUnavailable = Self("keys-unavailable")
  /// The signature is not the key's over these bytes.
  public static let signature = Self("signature")
  /// The payload is no strict JSON object.
  public static let payload = Self("payload")
  /// A claim that must be there is not.
  public static let missingClaim = Self("missing-claim")
  /// A claim of a wrong type, or a date that is none.
  public static let malformedClaim = Self("malformed-claim")
  /// `iss` is another issuer.
  public static let issuer = Self("issuer")
  /// `aud` does not name us, or names others that are not trusted.
  public static let audience = Self("audience")
  /// `azp` is another client.
  public static let authorizedParty = Self("authorized-party")
  /// `sub` is another user than before.
  public static let subject = Self("subject")
  /// `exp` has passed.
  public static let expired = Self("expired")
  /// `nbf` has not come.
  public static let notYetValid = Self("not-yet-valid")
  /// `iat` has not come.
  public static let issuedInFuture = Self("issued-in-future")
  /// `nonce` is missing, not ours, or was not asked for.
  public static let nonce = Self("nonce")
  /// `at_hash` is not that of the access token, or is missing where it must be there.
  public static let accessTokenHash = Self("access-token-hash")
  /// `c_hash` is not that of the code, or is missing where it must be there.
  public static let codeHash = Self("code-hash")
  /// The user signed in longer ago than `max_age` allows, or in the future.
  public static let authenticationTime = Self("authentication-time")

  /// All of the above.
  public static let all: [Self] = [
    .size, .form, .encrypted, .header, .duplicate, .algorithm, .critical, .unencodedPayload, .type, .unknownKey,
    .unsuitableKey, .ambiguousKey, .keysUnavailable, .signature, .payload, .missingClaim, .malformedClaim, .issuer,
    .audience, .authorizedParty, .subject, .expired, .notYetValid, .issuedInFuture, .nonce, .accessTokenHash,
    .codeHash, .authenticationTime,
  ]
}
