internal import CSodium

/// The code that a person types to let a device in (RFC 8628 6.1): eight letters, shown as `WDJB-MJHT`. There are no vowels among them,
/// so that they make no words, and nothing that looks like a digit: 20 letters, 34 bits.
enum UserCode {
  private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
  private static let length = 8

  /// A new one, in the form that it is compared in.
  static func random() -> String {
    String((0..<length).map { _ in letters[Int(randombytes_uniform(UInt32(letters.count)))] })
  }

  /// What a person typed, in the form that it is compared in: case, blanks and dashes do not matter. Nil for what is no such code.
  static func read(_ text: String) -> String? {
    guard text.utf8.count <= 64 else { return nil }
    let typed = text.uppercased().filter { $0 != "-" && $0 != " " }
    return typed.count == length && typed.allSatisfy({ letters.contains($0) }) ? typed : nil
  }

  /// As it is shown.
  static func shown(_ code: String) -> String { code.prefix(length / 2) + "-" + code.dropFirst(length / 2) }
}
