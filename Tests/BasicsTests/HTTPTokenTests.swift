import Basics
import Testing

@Suite struct HTTPTokenTests {
  /// The list as RFC 9110 5.6.2 has it.
  @Test func theBytesAreThoseOfTheStandard() {
    let signs = "!#$%&'*+-.^_`|~"
    let expected = Set(signs.utf8).union(0x30...0x39).union(0x41...0x5A).union(0x61...0x7A)
    #expect(Set((UInt8.min...UInt8.max).filter(HTTPToken.isByte)) == expected)
  }

  @Test(arguments: [
    ("a", true), ("X-Many", true), ("__Host-s", true), ("", false), ("a b", false), ("a:", false), ("ä", false),
    ("a\0", false), ("a\r\n", false),
  ])
  func aTokenHasNoOthers(text: String, isToken: Bool) { #expect(HTTPToken.isValid(text) == isToken) }
}
