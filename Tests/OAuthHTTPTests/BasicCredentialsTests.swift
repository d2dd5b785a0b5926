import Foundation
import OAuthHTTP
import SecureMemory
import Testing

@Suite struct BasicCredentialsTests {
  private func read(_ field: String?, anyCase: Bool = false) throws -> (name: String, password: String?)? {
    let request = try RequestSource().request(field.map { ["Authorization: \($0)"] } ?? [])
    return BasicCredentials(request, anyCase: anyCase).map { ($0.name, $0.password.bytes.publicText()) }
  }

  private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test(arguments: [
    ("alice:secret", "alice", "secret"), ("alice:", "alice", ""), ("a:b:c", "a", "b:c"), (" :x", " ", "x"),
    ("j\u{FC}rgen:gr\u{FC}n", "j\u{FC}rgen", "gr\u{FC}n"), ("app%3A1:", "app%3A1", ""),
  ])
  func nameAndPasswordAreTakenApart(pair: String, name: String, password: String) throws {
    let read = try #require(try read("Basic " + BasicCredentialsTests.encoded(pair)))
    #expect(read.name == name && read.password == password)
  }

  @Test(arguments: [
    nil, "", "Basic", "Basic ", "Basic !", "Basic YTpi=", "Basic YTpi YTpi", "Basic  YTpi", "Basic YTp", "Bearer YTpi",
    // No colon; no name.
    "Basic " + encoded("alice"), "Basic " + encoded(":secret"), "Basic " + encoded(""),
    // The alphabet of URLs, and no padding.
    "Basic " + encoded("a:??>").replacingOccurrences(of: "/", with: "_"), "Basic YTpiYg",
  ])
  func whatCannotBeReadIsAbsent(field: String?) throws {
    #expect(try read(field) == nil)
    #expect(try read(field, anyCase: true) == nil)
  }

  @Test(arguments: ["basic", "BASIC", "bAsIc"])
  func theWordMayBeInAnyCaseWhereThatIsAsked(word: String) throws {
    #expect(try read("\(word) YTpi") == nil)
    #expect(try #require(try read("\(word) YTpi", anyCase: true)) == ("a", "b"))
  }
}
