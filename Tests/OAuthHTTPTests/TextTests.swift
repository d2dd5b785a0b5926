import Foundation
import HTTPServer
import OAuthHTTP
import Testing

@Suite struct TextTests {
  @Test(arguments: [
    ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("a+b&c=d", "a%2Bb%26c%3Dd"), ("\u{E4}\0", "%C3%A4%00"),
  ])
  func whatMayStandInAQueryIsEncoded(text: String, expected: String) {
    #expect(percentEncoded(text) == expected)
    #expect(formDecoded(percentEncoded(text)) == text)
    #expect(formDecoded(percentEncoded(text, plusForBlank: true)) == text)
  }

  @Test func queriesAreNamesAndValues() {
    #expect(percentEncoded("a b+", plusForBlank: true) == "a+b%2B")
    #expect(queryText([]) == "")
    #expect(queryText([("a b", "1"), ("c", "&")]) == "a%20b=1&c=%26")
  }

  @Test(arguments: [
    ("a+b%2B", "a b+"), ("%E4", nil), ("%", nil), ("%4", nil), ("%zz", nil), ("%C3%A4", "\u{E4}"), ("%00", "\0"),
    ("a:b", "a:b"),
  ])
  func textsOfFormsAreDecoded(text: String, expected: String?) { #expect(formDecoded(text) == expected) }

  @Test func textsAreTheSameWhenTheirBytesAre() {
    #expect(isSame("a", "a") && isSame("", "") && isSame("abc".dropFirst(), "bc"))
    #expect(!isSame("a", "A") && !isSame("a", "aa") && !isSame("\u{E9}", "e\u{301}"))
  }

  @Test func whatStandsOnAPageIsText() {
    let nasty = "<b>\"'&"
    var page = HTMLPage(nasty, site: nasty)
    page.say(nasty)
    page.warn(nasty)
    page.list([nasty])
    page.form(
      "/x?\(nasty)", account: nasty, hidden: [(nasty, nasty)], fields: [.init("n", nasty, value: nasty)],
      buttons: [.init("go", nasty)])
    let document = page.document
    #expect(!document.contains(nasty) && !document.contains("<b>"))
    // Title twice, site, text, problem, list, address, account, hidden name and value, label, value, button.
    #expect(document.components(separatedBy: "&lt;b&gt;&quot;&#39;&amp;").count - 1 == 13)
  }

  /// WCAG 2.2: the title says that something is wrong, and the fields refer to what.
  @Test func aProblemIsToldFirst() throws {
    var page = HTMLPage("Sign in", site: "Site")
    page.form("/", fields: [.init("n", "Name")], buttons: [.init("go", "Go")])
    #expect(page.document.contains("<title>Sign in - Site</title>") && !page.document.contains("aria-describedby"))
    var other = HTMLPage("Sign in", site: "Site")
    other.warn("Wrong")
    other.form("/", fields: [.init("n", "Name")], buttons: [.init("go", "Go")])
    let document = other.document
    #expect(document.contains("<title>Error: Sign in - Site</title>"))
    #expect(document.contains("aria-describedby=\"problem\""))
    let problem = try #require(document.range(of: "id=\"problem\"")), form = try #require(document.range(of: "<form"))
    #expect(problem.lowerBound < form.lowerBound)
  }

  @Test func noCacheKeepsAPageAndNothingRunsOnIt() {
    let response = HTMLPage("a", site: "b").response(status: 403)
    #expect(response.status == 403 && response.headers.first("Cache-Control") == "no-store")
    #expect(response.headers.first("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
    #expect(response.headers.first("X-Frame-Options") == "DENY")
  }
}
