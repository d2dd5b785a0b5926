import Testing

@testable import Settings

@Suite struct PatternTests {
  @Test(arguments: [
    ("abc", ["abc"], ["", "ab", "abcd", "xabc"]),
    ("^abc$", ["abc"], ["xabc"]),
    ("a.c", ["abc", "a.c", "aéc"], ["ac", "abbc"]),
    ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
    ("(a|b)*c", ["c", "abac"], ["ab"]),
    ("a+b?", ["a", "aab"], ["b", "abb"]),
    ("a{2}", ["aa"], ["a", "aaa"]),
    ("a{2,}", ["aa", "aaaa"], ["a"]),
    ("a{1,3}", ["a", "aaa"], ["", "aaaa"]),
    ("a{0}b", ["b"], ["ab"]),
    ("[a-c0-9_-]+", ["ab_9-"], ["d"]),
    ("[^a-c]", ["d", "é"], ["a", "dd"]),
    ("[]]", [], []),
    ("[\\]a]", ["]", "a"], ["b"]),
    ("\\d\\w\\.", ["1_."], ["a_.", "1-."]),
    ("(a*)*", ["", "aaa"], ["b"]),
    ("((a|)(b|))+", ["", "ab", "ba", "aabb"], ["c"]),
    ("é{2}", ["éé"], ["é"]),
  ])
  func matchesAsAWhole(pattern: String, right: [String], wrong: [String]) throws {
    if pattern == "[]]" {
      #expect(throws: Pattern.Problem.self) { try Pattern(pattern) }
      return
    }
    let compiled = try Pattern(pattern)
    for text in right { #expect(compiled.matches(text), "\(text)") }
    for text in wrong { #expect(!compiled.matches(text), "\(text)") }
  }

  @Test(arguments: [
    "(", ")", "a)", "(a", "[", "[a", "[]", "[z-a]", "[\\d-z]", "*", "+a", "a**", "a{", "a{x}", "a{2,1}", "a{1001}",
    "a{1,2", "{2}",
    "a\\", "\\1", "\\b", "\\x", "a^b", "a$b", "(^a)", String(repeating: "a", count: 513),
    String(repeating: "(", count: 20),
    "a{1000}b{1000}c{1000}d{1000}e{1000}", "(a{100}){100}", "((((){1000}){1000}){1000}){1000}",
  ])
  func refusesWhatItCannotRead(pattern: String) {
    let clock = ContinuousClock()
    let time = clock.measure { #expect(throws: Pattern.Problem.self) { try Pattern(pattern) } }
    #expect(time < .seconds(1))
  }

  // Each of these takes a backtracking matcher longer than anyone waits.
  @Test(arguments: ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)*b", "((a*)*)*b", "(a?){500}a{500}b"])
  func neverTakesLong(pattern: String) throws {
    let compiled = try Pattern(pattern)
    let clock = ContinuousClock()
    let time = clock.measure { #expect(!compiled.matches(String(repeating: "a", count: 2000))) }
    #expect(time < .seconds(10))
  }

  @Test func tooLongATextDoesNotMatch() throws {
    #expect(try Pattern("a*").matches(String(repeating: "a", count: Pattern.textLimit)))
    #expect(try !Pattern("a*").matches(String(repeating: "a", count: Pattern.textLimit + 1)))
  }
}
