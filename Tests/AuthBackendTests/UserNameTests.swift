import AuthBackend
import Testing

/// The stdlib's normal form is none of its public interface: these are lines of Unicode's own NormalizationTest.txt, in lower case, so that a
/// toolchain in which it is another one does not pass unnoticed.
@Suite("User names")
struct UserNameTests {
  @Test(
    "a name has one form, however it was typed",
    arguments: [
      ("Alice@Example.COM", "alice@example.com"),
      ("e\u{301}", "\u{E9}"), ("\u{C9}", "\u{E9}"),
      // Angstrom is a letter.
      ("\u{212B}", "\u{E5}"), ("A\u{30A}", "\u{E5}"),
      // Marks in their order.
      ("\u{1E0B}\u{323}", "\u{1E0D}\u{307}"), ("d\u{307}\u{323}", "\u{1E0D}\u{307}"),
      ("a\u{315}\u{300}\u{5AE}\u{300}b", "\u{E0}\u{5AE}\u{300}\u{315}b"),
      // Letters that are never composed, and one that stands for another.
      ("\u{958}", "\u{915}\u{93C}"), ("\u{344}", "\u{308}\u{301}"), ("\u{1F71}", "\u{3AC}"),
      // Syllables of Hangul.
      ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{AC00}\u{11A8}", "\u{AC01}"),
      // What only looks alike stays as it is.
      ("\u{FB01}", "\u{FB01}"), ("\u{FF41}", "\u{FF41}"),
    ])
  func canonical(_ typed: String, _ kept: String) {
    // Texts that look alike are equal in Swift.
    #expect(Array(UserName.canonical(typed).unicodeScalars) == Array(kept.unicodeScalars))
    #expect(Array(UserName.canonical(kept).unicodeScalars) == Array(kept.unicodeScalars))
  }
}
