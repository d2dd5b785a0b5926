public import Basics

/// The name of a value in the vault: 1 to 128 of `A-Z a-z 0-9 . _ -`. Case counts.
public struct KeyName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name.
  public let text: String

  /// Checks a name. Throws ``FailureCode/usage``.
  public init(_ text: String) throws(Failure) {
    guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(KeyName.isAllowed) else {
      throw Failure(
        .usage, "'\(OutsideText.clean(text, limit: 140))' is not a key name",
        hint: "use 1 to 128 of A-Z a-z 0-9 . _ -")
    }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x5F, 0x2D: true
    default: false
    }
  }

  /// By bytes.
  public static func < (a: KeyName, b: KeyName) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

  /// The name.
  public var description: String { text }

  /// Whether `logout` removes it: it begins with `auth.` exactly (`auth`, `authx`, `AUTH.x` do not).
  public var isCredential: Bool { text.utf8.starts(with: "auth.".utf8) && text.utf8.count > 5 }
  /// Whether it is a database's encryption key: `mfs.dbkey.<database>`.
  public var isDatabaseKey: Bool { text.utf8.starts(with: "mfs.dbkey.".utf8) && text.utf8.count > 10 }
}
