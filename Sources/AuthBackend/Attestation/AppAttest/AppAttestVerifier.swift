internal import JOSE

/// Verifies what one iOS app's devices send of App Attest, by the steps that Apple documents in "Validating apps that connect to your
/// server". It keeps nothing: that a challenge is its own, fresh and used once is the caller's to see to, as are keys and counters.
public struct AppAttestVerifier: Sendable {
  /// The most bytes of an attestation; real ones have 4 to 8 KiB.
  public static let maximumAttestationSize = 32 << 10
  /// The most bytes of an assertion; real ones have some 150.
  public static let maximumAssertionSize = 2 << 10

  /// The app: the App ID prefix, usually the team's id, a dot and the bundle id: `A1B2C3D4E5.com.example.app`.
  public let appID: String
  /// The environment that its builds use.
  public let environment: AppAttestEnvironment
  /// Which roots vouch for keys; ``PinnedRoots/appleAppAttest()`` but in tests.
  public let roots: PinnedRoots
  /// How the app may have been signed (``AppAttestExtensions/validationCategory``); nil for any way. It is asked of devices that say it:
  /// those before iOS 27 do not, and are taken.
  public let validationCategories: Set<UInt32>?

  /// A verifier.
  public init(
    appID: String, environment: AppAttestEnvironment, roots: PinnedRoots, validationCategories: Set<UInt32>? = nil
  ) {
    self.appID = appID
    self.environment = environment
    self.roots = roots
    self.validationCategories = validationCategories
  }

  /// That authenticator data is about this app.
  func checkApp(_ data: AuthenticatorData) throws(AttestationRefusal) {
    guard data.appIDHash == SHA256.hash(appID) else { throw AttestationRefusal(.appID) }
  }

  /// That the app was signed in a way that is allowed, where the device says in which.
  func checkCategory(_ data: AuthenticatorData) throws(AttestationRefusal) {
    guard let validationCategories, let category = data.extensions.validationCategory else { return }
    guard validationCategories.contains(category) else {
      throw AttestationRefusal(
        .validationCategory, "\(AttestationRefusal.Reason.validationCategory.words): category \(category)")
    }
  }

  /// One map of CBOR.
  static func document(_ bytes: [UInt8], maximumSize: Int) throws(AttestationRefusal) -> CBORValue {
    guard bytes.count <= maximumSize else {
      throw AttestationRefusal(.size, "it has \(bytes.count) bytes, and no more than \(maximumSize) are taken")
    }
    let document: CBORValue
    do throws(CBORFault) { document = try CBORReader.value(bytes, maximumSize: maximumSize) } catch {
      throw AttestationRefusal(.malformed, "it is not CBOR as WebAuthn uses it: \(error)")
    }
    guard case .map = document else { throw AttestationRefusal(.malformed, "it is not a map") }
    return document
  }

  /// A byte string of a map.
  static func bytes(_ name: String, of map: CBORValue) throws(AttestationRefusal) -> [UInt8] {
    guard let bytes = map[name]?.bytes else {
      throw AttestationRefusal(.malformed, "its '\(name)' is missing or is no byte string")
    }
    return bytes
  }
}
