/// Why an attestation, an assertion or an integrity verdict is not taken. Two are equal when their reasons are. The text never
/// holds a key, a challenge, a hash or a token; what it quotes of outside is cleaned and short.
public struct AttestationRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why.
  public let reason: Reason
  /// What is wrong, as a sentence without a final line end.
  public let message: String

  /// A refusal; the reason's own words when there is nothing to add.
  public init(_ reason: Reason, _ message: String? = nil) {
    self.reason = reason
    self.message = message ?? reason.words
  }

  /// The message.
  public var description: String { message }

  /// Equal when the reasons are.
  public static func == (a: AttestationRefusal, b: AttestationRefusal) -> Bool { a.reason == b.reason }
}

extension AttestationRefusal {
  /// Each reason there is, by a stable name for logs and audit records.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    // What App Attest and Play Integrity share.
    case size
    case malformed
    case unavailable

    // App Attest: the attestation, in the order of Apple's steps.
    case format
    case certificate
    case untrustedRoot = "untrusted-root"
    case certificateSignature = "certificate-signature"
    case expired
    case notYetValid = "not-yet-valid"
    case notAuthority = "not-an-authority"
    case weakKey = "weak-key"
    case chain
    case nonceMissing = "nonce-missing"
    case nonce
    case keyType = "key-type"
    case keyID = "key-id"
    case appID = "app-id"
    case counterNotZero = "counter-not-zero"
    case environment
    case credentialID = "credential-id"

    // App Attest: an assertion.
    case signature
    case counterNotRising = "counter-not-rising"

    // App Attest: both, where the device says it.
    case validationCategory = "validation-category"

    // Play Integrity: the token.
    case encryption
    case decryption
    case tokenSignature = "token-signature"

    // Play Integrity: what the verdict says.
    case requestPackage = "request-package"
    case requestHash = "request-hash"
    case requestNonce = "request-nonce"
    case tooOld = "too-old"
    case issuedInFuture = "issued-in-future"
    case testVerdict = "test-verdict"
    case appNotRecognised = "app-not-recognised"
    case appPackage = "app-package"
    case signingCertificate = "signing-certificate"
    case deviceIntegrity = "device-integrity"

    /// The reason as a sentence.
    public var words: String {
      switch self {
      case .size: "it is larger than anything a device sends"
      case .malformed: "it is not of the form that the platform documents"
      case .unavailable: "it could not be checked: libcrypto has no memory"
      case .format: "the attestation's format is not 'apple-appattest'"
      case .certificate: "the attestation's certificates cannot be read"
      case .untrustedRoot: "the certificates do not lead to a pinned root"
      case .certificateSignature: "a certificate was not signed by the one above it"
      case .expired: "a certificate has expired"
      case .notYetValid: "a certificate is not valid yet"
      case .notAuthority: "a certificate signed another one without being a certificate authority's"
      case .weakKey: "a certificate has a key or a signature that is too weak"
      case .chain: "the certificates do not form a valid chain"
      case .nonceMissing: "the credential certificate does not name exactly one nonce"
      case .nonce: "the attestation was made for another challenge or for other authenticator data"
      case .keyType: "the attested key is not a P-256 key"
      case .keyID: "the attested key is not the one that the key id names"
      case .appID: "it was made by another app"
      case .counterNotZero: "the attested key has been used already"
      case .environment: "it was made in the other environment, or by no App Attest at all"
      case .credentialID: "the credential id is not the key id"
      case .signature: "the assertion was not signed by the device's attested key over this data"
      case .counterNotRising: "the assertion's counter has not risen: it was sent before, or the key was copied"
      case .validationCategory: "the app was signed in a way that is not allowed"
      case .encryption: "the token is not encrypted by A256KW and A256GCM"
      case .decryption: "the token cannot be decrypted with the app's key, or was changed"
      case .tokenSignature: "the verdict was not signed by the app's verification key"
      case .requestPackage: "the verdict was asked for by another app"
      case .requestHash: "the verdict was asked for another request"
      case .requestNonce: "the verdict was asked for another nonce"
      case .tooOld: "the verdict is too old"
      case .issuedInFuture: "the verdict is dated in the future"
      case .testVerdict: "the verdict is a test answer that was set up in the Play Console"
      case .appNotRecognised: "Google Play does not recognise the app"
      case .appPackage: "the verdict is about another app"
      case .signingCertificate: "the app was signed with another certificate"
      case .deviceIntegrity: "the device does not meet the integrity that is asked for"
      }
    }
  }
}
