import Settings
import Testing

@Suite struct EncodingTests {
  private func utf16(_ text: String, littleEndian: Bool, mark: Bool) -> [UInt8] {
    var units = Array(text.utf16)
    if mark { units.insert(0xFEFF, at: 0) }
    return units.flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return littleEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func utf16IsToldApart(littleEndian: Bool, mark: Bool) throws {
    let bytes = utf16("EXPO_PUBLIC_SG_DB=main\nB=é\n", littleEndian: littleEndian, mark: mark)
    let found = try findings(bytes)
    #expect(found.map(\.rule) == [.encoding])
    #expect(found.first?.range == nil)
    #expect(found.first?.message.contains("UTF-16") == true)
    #expect(try values([EnvFile(name: ".env", bytes: bytes, dialect: .expo)]).isEmpty)
  }

  @Test func invalidUTF8IsReportedWhereItIs() throws {
    let found = try findings(Array("A=1\nB=é".utf8) + [0xFF] + Array("x\n".utf8))
    #expect(found.map(\.rule) == [.encoding])
    #expect(found.first?.place == "2:4-2:5")
    let file = EnvFile(name: ".env", bytes: Array("B=".utf8) + [0xFF, 0x0A], dialect: .expo)
    #expect(try values([file]) == ["B": "\u{FFFD}"])
  }

  @Test(arguments: [
    [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xF0, 0x8F, 0x80, 0x80], [0x80],
    [0xF4, 0x90, 0x80, 0x80], [0xC3, 0x41],
  ])
  func whatIsNotWellFormedIsFound(_ bytes: [UInt8]) throws {
    #expect(try findings(Array("LONG_NAME=0123456789".utf8) + bytes + [0x0A]).map(\.rule) == [.encoding])
  }

  @Test func wellFormedTextIsNot() throws {
    #expect(try findings("A=\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\n") == [])
  }

  @Test func aNulByteIsAFinding() throws {
    let found = try findings(Array("A=1\nB=a".utf8) + [0] + Array("b\n".utf8))
    #expect(found.map(\.rule) == [.encoding])
    #expect(found.first?.place == "2:4-2:5")
  }
}
