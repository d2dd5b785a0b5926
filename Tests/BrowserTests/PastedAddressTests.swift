import Browser
import SecureMemory
import Testing

struct PastedAddressTests {
  static let redirect = "http://127.0.0.1:4711/callback"

  private func fields(_ text: String) throws -> [String]? {
    let pasted = try SecureBytes(publicText: text)
    let parameters = RedirectParameters(pasted: pasted, redirectURI: Self.redirect)
    return parameters?.fields.map { "\($0.name)=\($0.value.bytes.publicText() ?? "?")" }
  }

  @Test func queriesAndFragmentsAreRead() throws {
    #expect(try fields("\(Self.redirect)?code=a&state=s") == ["code=a"])
    #expect(try fields("  \(Self.redirect)?code=a&state=s \r\n") == ["code=a"])
    #expect(try fields("\(Self.redirect)#id_token=a.b&state=s") == ["id_token=a.b"])
    #expect(try fields("\(Self.redirect)?code=a&state=s#") == ["code=a"])
  }

  @Test(arguments: [
    "", "code=a&state=s", "http://127.0.0.1:4712/callback?code=a", "http://127.0.0.1:4711/callbacks?code=a",
    "https://evil.example/?code=a", "http://127.0.0.1:4711/callback", "http://127.0.0.1:4711/callback?code=%zz",
  ])
  func otherAddressesAreNot(text: String) throws { #expect(try fields(text) == nil) }
}
