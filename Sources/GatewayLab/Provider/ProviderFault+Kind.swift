extension ProviderFault {
  /// What goes wrong.
  public enum Kind: String, Sendable, CaseIterable {
    /// 500.
    case internalError = "internal-error"
    /// 503 with `Retry-After`.
    case unavailable
    /// 429 with `Retry-After`.
    case tooManyRequests = "too-many-requests"
    /// The right answer, late.
    case slow
    /// The connection is cut before any answer; the request is not carried out.
    case cutConnection = "cut-connection"
    /// The request is carried out, but the connection is cut in the midst of the answer.
    case cutAnswer = "cut-answer"
    /// 200 with bytes that are no text.
    case garbage
    /// 200 with a body of `size` bytes.
    case hugeBody = "huge-body"
    /// 307 to the same path below `location`.
    case redirect
    /// The metadata of another issuer.
    case foreignIssuer = "foreign-issuer"
    /// A token endpoint that is not https, on another host.
    case httpEndpoint = "http-endpoint"
    /// A key document without the newest key.
    case staleKeys = "stale-keys"
    /// The person says no.
    case accessDenied = "access-denied"
    /// The person says no, and the answer has no `state`.
    case accessDeniedWithoutState = "access-denied-without-state"
    /// Another `state` than was sent.
    case wrongState = "wrong-state"
    /// No `state`.
    case noState = "no-state"
    /// No `iss`, though the metadata promise one.
    case noIssuer = "no-issuer"
    /// Another issuer's `iss`, as in a mix-up.
    case wrongIssuer = "wrong-issuer"
    /// Another nonce than was sent.
    case wrongNonce = "wrong-nonce"
    /// No nonce.
    case noNonce = "no-nonce"
    /// An ID token for another client.
    case wrongAudience = "wrong-audience"
    /// An ID token of another issuer.
    case wrongTokenIssuer = "wrong-token-issuer"
    /// An ID token for another user.
    case wrongSubject = "wrong-subject"
    /// An `at_hash` that is not the access token's.
    case wrongAccessTokenHash = "wrong-at-hash"
    /// A signature that nobody made.
    case wrongSignature = "wrong-signature"
    /// `alg` `none` and no signature.
    case algorithmNone = "alg-none"
    /// HMAC with the public key as its secret.
    case algorithmHMAC = "alg-hs256"
    /// An ID token that expired an hour ago.
    case expired
    /// An ID token that is issued in a day.
    case issuedInFuture = "issued-in-future"
    /// An ID token that names no key.
    case noKeyID = "no-kid"
    /// An ID token that names a key nobody has.
    case unknownKeyID = "unknown-kid"
    /// An ID token that says who it is about twice.
    case duplicateMembers = "duplicate-members"

    /// The fields of a scenario file that this fault has of its own.
    public var fields: [String] {
      switch self {
      case .slow: ["delay-ms"]
      case .unavailable, .tooManyRequests: ["retry-after"]
      case .hugeBody: ["size"]
      case .redirect, .foreignIssuer, .httpEndpoint, .wrongIssuer, .wrongTokenIssuer: ["location"]
      default: []
      }
    }

    var step: Step {
      switch self {
      case .internalError, .unavailable, .tooManyRequests, .slow, .cutConnection, .cutAnswer, .garbage, .hugeBody,
        .redirect:
        .request
      case .foreignIssuer, .httpEndpoint: .metadata
      case .staleKeys: .keys
      case .accessDenied, .accessDeniedWithoutState, .wrongState, .noState, .noIssuer, .wrongIssuer: .authorization
      case .wrongNonce, .noNonce, .wrongAudience, .wrongTokenIssuer, .wrongSubject, .wrongAccessTokenHash,
        .wrongSignature, .algorithmNone, .algorithmHMAC, .expired, .issuedInFuture, .noKeyID, .unknownKeyID,
        .duplicateMembers:
        .idToken
      }
    }
  }
}

extension ProviderFault.Kind {
  /// One line for `lab scenario`.
  public var summary: String {
    switch self {
    case .internalError: "500"
    case .unavailable: "503 with Retry-After of retry-after seconds (default 1)"
    case .tooManyRequests: "429 with Retry-After of retry-after seconds (default 1)"
    case .slow: "the right answer, but only after delay-ms (default 5000)"
    case .cutConnection: "the connection is cut without an answer; nothing is carried out"
    case .cutAnswer: "the request is carried out, then the connection is cut in the midst of the answer"
    case .garbage: "200 with bytes that are no text"
    case .hugeBody: "200 with a body of size bytes (default 1073741824)"
    case .redirect: "307 to the same path below location (default http://elsewhere.invalid)"
    case .foreignIssuer: "metadata of the issuer location (default http://elsewhere.invalid)"
    case .httpEndpoint: "metadata whose token endpoint is below location (default http://elsewhere.invalid)"
    case .staleKeys: "keys without the newest one"
    case .accessDenied: "the answer is access_denied, whoever signs in"
    case .accessDeniedWithoutState: "the answer is access_denied, and has no state"
    case .wrongState: "the answer has another state than was sent"
    case .noState: "the answer has no state"
    case .noIssuer: "the answer has no iss, though the metadata promise it"
    case .wrongIssuer: "the answer's iss is location (default http://elsewhere.invalid)"
    case .wrongNonce: "an ID token with another nonce than was sent"
    case .noNonce: "an ID token without a nonce"
    case .wrongAudience: "an ID token for another client"
    case .wrongTokenIssuer: "an ID token whose iss is location (default http://elsewhere.invalid)"
    case .wrongSubject: "an ID token for another user"
    case .wrongAccessTokenHash: "an ID token whose at_hash is not the access token's"
    case .wrongSignature: "an ID token with a signature that nobody made"
    case .algorithmNone: "an ID token with alg none and no signature"
    case .algorithmHMAC: "an ID token with HMAC, the public key as its secret"
    case .expired: "an ID token that expired an hour ago"
    case .issuedInFuture: "an ID token that is issued tomorrow"
    case .noKeyID: "an ID token without kid"
    case .unknownKeyID: "an ID token with the kid of no key"
    case .duplicateMembers: "an ID token with two sub"
    }
  }
}
