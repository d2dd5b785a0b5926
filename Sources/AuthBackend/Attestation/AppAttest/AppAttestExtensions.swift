internal import Basics

/// What systems from iOS 27 on say of the app beside the attested key, in attestations and assertions alike. Older ones say nothing.
public struct AppAttestExtensions: Hashable, Sendable {
  /// How the app's code was signed, by the kernel's numbers: 2 for TestFlight, 3 for development, 4 for the App Store, 5 for
  /// a company's own distribution.
  public let validationCategory: UInt32?
  /// The app's `CFBundleVersion`; as it came, so it is cleaned before it is shown.
  public let bundleVersion: String?

  /// Nothing said.
  static let none = AppAttestExtensions(validationCategory: nil, bundleVersion: nil)

  private init(validationCategory: UInt32?, bundleVersion: String?) {
    self.validationCategory = validationCategory
    self.bundleVersion = bundleVersion
  }

  /// Reads the extensions' map. What is not known in it is ignored, what is known must have its type.
  init(_ map: CBORValue) throws(AttestationRefusal) {
    guard case .map = map else { throw AttestationRefusal(.malformed, "the extensions are no map") }
    var category: UInt32?
    if let member = map["apple_validation_category_01"] {
      // Four bytes, little-endian.
      guard let bytes = member.bytes, bytes.count == 4 else {
        throw AttestationRefusal(.malformed, "the validation category is not of 4 bytes")
      }
      var reader = ByteReader(bytes[...])
      category = reader.integer()
    }
    var version: String?
    if let member = map["apple_bundle_version_01"] {
      guard let text = member.text else { throw AttestationRefusal(.malformed, "the bundle's version is no text") }
      version = text
    }
    self.init(validationCategory: category, bundleVersion: version)
  }
}
