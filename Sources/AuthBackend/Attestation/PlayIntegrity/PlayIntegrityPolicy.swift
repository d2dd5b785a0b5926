/// What is asked of an app and its device before a verdict is taken.
public struct PlayIntegrityPolicy: Sendable {
  /// How much a device must prove, from least to most.
  public enum Device: Int, Comparable, Sendable, CaseIterable {
    /// Nothing.
    case any
    /// `MEETS_BASIC_INTEGRITY`: the system's checks pass, but it may be a system that Google does not know. The Play Console must
    /// be told to send it.
    case basic
    /// `MEETS_DEVICE_INTEGRITY`: a device with Google Play that is certified.
    case device
    /// `MEETS_STRONG_INTEGRITY`: the same, proved by hardware, with recent security updates. The Play Console must be told to send it.
    case strong

    /// Less is smaller.
    public static func < (a: Device, b: Device) -> Bool { a.rawValue < b.rawValue }

    /// What a verdict's labels prove. Labels that are not known, and `MEETS_VIRTUAL_INTEGRITY` of an emulator, prove nothing.
    static func proved(by labels: [String]) -> Device {
      labels.reduce(.any) { best, label in
        switch label {
        case "MEETS_BASIC_INTEGRITY": max(best, .basic)
        case "MEETS_DEVICE_INTEGRITY": max(best, .device)
        case "MEETS_STRONG_INTEGRITY": max(best, .strong)
        default: best
        }
      }
    }
  }

  /// The app's package name.
  public var packageName: String
  /// SHA-256 of the certificates that the app may be signed with, 32 bytes each; see ``certificateDigest(_:)``.
  public var certificateDigests: Set<[UInt8]>
  /// The least that the device must prove.
  public var device: Device
  /// Whether Google Play must recognise the app as one that it distributed (`PLAY_RECOGNIZED`). Without this, an app that
  /// Google did not evaluate is taken too, and then neither its package nor its certificate is known.
  public var needsRecognisedApp: Bool
  /// How many seconds old a verdict may be.
  public var maximumAge: Int64
  /// By how many seconds the clocks may differ.
  public var leeway: Int64
  /// Whether answers that were set up for testers in the Play Console are taken.
  public var allowsTestVerdicts: Bool

  /// A policy for a certified device, an app from Google Play and verdicts of at most two minutes.
  public init(
    packageName: String, certificateDigests: Set<[UInt8]>, device: Device = .device, needsRecognisedApp: Bool = true,
    maximumAge: Int64 = 120, leeway: Int64 = 30, allowsTestVerdicts: Bool = false
  ) {
    self.packageName = packageName
    self.certificateDigests = certificateDigests
    self.device = device
    self.needsRecognisedApp = needsRecognisedApp
    self.maximumAge = max(0, maximumAge)
    self.leeway = max(0, leeway)
    self.allowsTestVerdicts = allowsTestVerdicts
  }

  /// A certificate's SHA-256 of the text that `keytool`, the Play Console and `assetlinks.json` show: 32 pairs of hexadecimal digits with
  /// colons between them; nil for any other text.
  public static func certificateDigest(_ text: String) -> [UInt8]? {
    let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard pairs.count == 32 else { return nil }
    var digest: [UInt8] = []
    for pair in pairs {
      guard pair.count == 2, let high = digit(pair.first), let low = digit(pair.last) else { return nil }
      digest.append(high << 4 | low)
    }
    return digest
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case let byte? where (0x30...0x39).contains(byte): byte - 0x30
    case let byte? where (0x41...0x46).contains(byte): byte - 0x41 + 10
    case let byte? where (0x61...0x66).contains(byte): byte - 0x61 + 10
    default: nil
    }
  }
}
