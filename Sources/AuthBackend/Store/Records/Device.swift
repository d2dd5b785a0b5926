public import Basics

/// A user's device, known by the `device_id` that the app made on it.
public struct Device: Equatable, Sendable {
  /// Whose it is.
  public var user: String
  /// `device_id`, byte for byte. Two users may have the same one: a phone that changed hands.
  public var id: String
  /// What the user calls it.
  public var name: String
  /// `ios`, `android` or what the app says.
  public var platform: String
  /// When it was first seen.
  public var firstSeenAt: Timestamp
  /// When it was last seen.
  public var lastSeenAt: Timestamp
  /// The key that was attested for it.
  public var key: DeviceKey?
  /// The last verdict of an attestation, in a word of the server's, and its time.
  public var verdict: Verdict?

  /// What an attestation said, and when.
  public struct Verdict: Equatable, Sendable {
    /// In a word of the server's.
    public var text: String
    /// When it was verified.
    public var at: Timestamp

    /// A verdict.
    public init(_ text: String, at: Timestamp) {
      self.text = text
      self.at = at
    }
  }

  /// A device that is seen for the first time.
  public init(user: String, id: String, name: String, platform: String, at: Timestamp) {
    self.user = user
    self.id = id
    self.name = name
    self.platform = platform
    firstSeenAt = at
    lastSeenAt = at
    key = nil
    verdict = nil
  }
}

/// The key of a device's that its maker vouched for (App Attest).
public struct DeviceKey: Equatable, Sendable {
  /// The key's id.
  public var id: [UInt8]
  /// The public key, an uncompressed point of P-256.
  public var publicKey: [UInt8]
  /// The counter of the last assertion; 0 before the first. It only rises.
  public var counter: Int64

  /// A key.
  public init(id: [UInt8], publicKey: [UInt8], counter: Int64) {
    self.id = id
    self.publicKey = publicKey
    self.counter = counter
  }
}
