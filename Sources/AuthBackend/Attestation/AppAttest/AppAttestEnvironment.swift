/// Which of Apple's two App Attest environments a build of the app uses. Keys of one mean nothing in the other.
public enum AppAttestEnvironment: String, Hashable, Sendable, CaseIterable {
  /// TestFlight and the App Store.
  case production
  /// Builds from Xcode, unless their entitlement says otherwise.
  case development

  /// The AAGUID in authenticator data, 16 bytes.
  var aaguid: [UInt8] {
    switch self {
    case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    case .development: Array("appattestdevelop".utf8)
    }
  }
}
