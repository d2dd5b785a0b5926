public import Basics

/// What Google said of an app and its device, as it was accepted: to keep with the device. None of it is secret; texts are as they
/// came, so they are cleaned before they are shown.
public struct PlayIntegrityVerdict: Hashable, Sendable {
  /// When Google prepared it.
  public let issuedAt: Timestamp
  /// `appRecognitionVerdict`: `PLAY_RECOGNIZED`, `UNRECOGNIZED_VERSION` or `UNEVALUATED`.
  public let appRecognition: String
  /// The app's package name, when it was evaluated.
  public let packageName: String?
  /// SHA-256 of the certificates that the app is signed with, when it was evaluated.
  public let certificateDigests: [[UInt8]]
  /// The app's version code, when it was evaluated.
  public let versionCode: String?
  /// `deviceRecognitionVerdict`: what the device proved, by Google's labels.
  public let deviceLabels: [String]
  /// `appLicensingVerdict`: whether the user got the app from Google Play; nil when it is not said.
  public let licensing: String?
  /// Whether it is a test answer from the Play Console.
  public let isTest: Bool
}
