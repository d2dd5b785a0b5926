import OAuthHTTP
import SecureMemory
import Testing

@Suite struct FormFieldsTests {
  private static let type = "application/x-www-form-urlencoded"

  private func form(_ body: [UInt8], type: String? = FormFieldsTests.type, limit: Int = 1_000) throws -> FormFields {
    let request = try RequestSource().request(type.map { ["Content-Type: \($0)"] } ?? [], body: body)
    return try FormFields(request, limit: limit)
  }

  private func form(_ body: String, limit: Int = 1_000) throws -> FormFields {
    try form(Array(body.utf8), limit: limit)
  }

  @Test(
    arguments: [
      ("", [:]), ("a=1&b=2", ["a": "1", "b": "2"]), ("a=%41%2b+%C3%A4", ["a": "A+ \u{E4}"]), ("a%3Db=1", ["a=b": "1"]),
      ("a=1=2", ["a": "1=2"]), ("&&a=1&", ["a": "1"]), ("=&a=1", ["a": "1"]), ("=v", ["": "v"]),
      ("a%26=%3D", ["a&": "="]),
      ("+a=1", [" a": "1"]),
    ] as [(String, [String: String])])
  func fieldsAreDecoded(body: String, expected: [String: String]) throws {
    let form = try form(body)
    let items = Dictionary(form.publicItems.map { ($0.name, $0.value) }) { $1 }
    #expect(items == expected)
    for (name, value) in expected { #expect(form.text(name) == value && form.has(name)) }
  }

  @Test func fieldsWithoutAValueAreAsIfTheyWereOmitted() throws {
    let form = try form("a&b=&c=1")
    for name in ["a", "b", "d"] {
      #expect(form.text(name) == nil && !form.has(name) && form.secret(name) == nil)
      #expect(form.withBytes(name) { _ in true } == nil)
    }
    // They are there all the same, and may not stand twice.
    #expect(form.publicItems.map(\.name) == ["a", "b", "c"])
    #expect(try self.form("a&a=1").repeated == "a")
  }

  @Test(arguments: [
    "a=%", "a=%4", "a=%zz", "a=%4g", "%", "a=1&b=%", "a=%ff", "%ff=1", "a=%c0%80", "a=%ED%A0%80", "a=%00", "%00=1",
    "a=b\0c",
  ])
  func whatIsNoTextIsRefused(body: String) throws {
    #expect(throws: FormFields.Fault.encoding) { try form(body) }
  }

  @Test func bytesThatAreNoTextAreRefused() throws {
    #expect(throws: FormFields.Fault.encoding) { try form([0x61, 0x3D, 0xFF]) }
    #expect(throws: FormFields.Fault.encoding) { try form([0xC3, 0x3D, 0xA4]) }
  }

  @Test(arguments: [
    (type, true), (type + "; charset=utf-8", true), ("Application/X-WWW-Form-URLEncoded", true), (type + ";", true),
    (nil, false), ("", false), ("text/plain", false), (type + "x", false), ("text/plain; " + type, false),
    ("multipart/form-data", false), ("application/json", false),
  ])
  func theMediaTypeIsAForms(type: String?, isForm: Bool) throws {
    let body = Array("a=1".utf8)
    guard isForm else {
      #expect(throws: FormFields.Fault.mediaType) { try form(body, type: type) }
      return
    }
    #expect(try form(body, type: type).text("a") == "1")
  }

  @Test func thereMayBeSoManyFields() throws {
    let body = (0..<10).map { "a\($0)=1" }.joined(separator: "&")
    #expect(try form(body, limit: 10).publicItems.count == 10)
    #expect(throws: FormFields.Fault.tooMany) { try form(body, limit: 9) }
  }

  /// Few fields and many are looked through in different ways.
  @Test(arguments: [2, 16, 17, 40])
  func whatStandsTwiceIsFound(count: Int) throws {
    let names = (0..<count).map { "a\($0)" }
    func body(_ names: [String]) -> String { names.map { "\($0)=1" }.joined(separator: "&") }
    #expect(try form(body(names)).repeated == nil)
    #expect(try form(body(names.dropLast() + ["a0"])).repeated == "a0")
  }

  @Test func secretsGoToGuardedMemoryAndPasswordsAreNotPublic() throws {
    let form = try form("username=a&password=p%26+w&x=1")
    #expect(form.secret("password")?.bytes.publicText() == "p& w")
    #expect(form.withBytes("password") { unsafe Array($0) } == Array("p& w".utf8))
    #expect(form.publicItems.map(\.name) == ["username", "x"])
  }
}
