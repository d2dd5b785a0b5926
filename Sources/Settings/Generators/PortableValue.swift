/// Values written so that every reader of env files takes them alike: dotenv, every generation of Expo's reader, Node,
/// python-dotenv and shells.
enum PortableValue {
  /// The text behind `=`: bare, or between single quotes; nil when no such text exists for this value.
  static func written(_ value: String) -> String? {
    if value.utf8.allSatisfy(isBare) { return value }
    let fits = value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x27 && $0 != 0x24 && $0 != 0x5C }
    return fits ? "'\(value)'" : nil
  }

  // [A-Za-z0-9_./:@%+,=-]
  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: Array("_./:@%+,=-".utf8).contains(byte)
    }
  }
}
