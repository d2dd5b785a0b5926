import OAuthHTTP
import Testing

@Suite struct RequestCookiesTests {
  private func cookies(_ fields: [String]) throws -> RequestCookies {
    RequestCookies(try RequestSource().request(fields.map { "Cookie: \($0)" }))
  }

  @Test(arguments: [
    (["s=1"], "1"), (["a=0; s=1"], "1"), (["a=0;s=1;s=2"], "1"), (["a=0", "s=1"], "1"), (["s=\"1 2\""], "1 2"),
    (["s=1=2"], "1=2"), (["s="], ""), (["s"], ""), ([" s = 1 "], " 1"), (["s=a,b"], "a,b"), (["=x; s=1"], "1"),
    (["s\u{E4}=0; s=1"], "1"), (["s=\u{E4}; s=1"], "1"), (["s=a\"b; s=1"], "1"), (["s=a\\b; s=1"], "1"),
  ])
  func theFirstGoodOneOfANameCounts(fields: [String], value: String) throws {
    #expect(try cookies(fields).first("s") == value)
  }

  @Test(arguments: [[], ["a=s"], ["S=1"], ["s s=1"], ["s:=1"]])
  func whatIsNoCookieOfTheNameIsNone(fields: [String]) throws { #expect(try cookies(fields).first("s") == nil) }
}
