import StrategyKit
import Testing

@Suite("URLs with a query")
struct URLQueryTests {
  @Test("reads names and values, decoded and in order")
  func items() throws {
    let url = try #require(URLQuery("https://login.example.com/a?b=c%20d+e&f&=g&b=%C3%A4"))
    #expect(url.page == "https://login.example.com/a")
    #expect(url.items.map(\.name) == ["b", "f", "", "b"])
    #expect(url.items.map(\.value) == ["c d e", "", "g", "ä"])
    #expect(url.single("b") == nil && url.single("f") == nil && url.single("x") == nil)
    #expect(URLQuery("https://login.example.com/a?b=c")?.single("b") == "c")
    #expect(URLQuery("https://login.example.com/a")?.items.isEmpty == true)
  }

  @Test(
    "refuses what two readers would read in two ways",
    arguments: ["/a?b=%", "/a?b=%4", "/a?b=%zz", "/a?b=%FF", "/a?b#c"])
  func broken(url: String) { #expect(URLQuery(url) == nil) }
}
