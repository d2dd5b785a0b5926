/// The name of a device build with a vault of its own: `[a-z0-9][a-z0-9._-]{0,63}`, so that it is a safe file name.
public struct ProfileName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let text: String

  /// The profile used when none is named: `default`.
  public static let `default` = ProfileName(unchecked: "default")

  private init(unchecked text: String) { self.text = text }

  /// Checks a name. Throws ``FailureCode/usage``.
  public init(_ text: String) throws(Failure) {
    func isWord(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 64, isWord(first),
      bytes.allSatisfy({ isWord($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D })
    else {
      throw Failure(
        .usage, "'\(OutsideText.clean(text, limit: 80))' is not a profile name",
        hint: "use 1 to 64 of a-z 0-9 . _ - and begin with a letter or digit")
    }
    self.text = text
  }

  /// The name.
  public var description: String { text }
}
