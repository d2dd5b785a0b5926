import Testing

@testable import Basics

@Suite struct OutsideTextTests {
  @Test func keepsOrdinaryText() {
    #expect(OutsideText.clean("déjà vu – 日本 😀 ::notice::") == "déjà vu – 日本 😀 ::notice::")
  }

  @Test(arguments: ["\n", "\r", "\u{1B}", "\u{0}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{202E}", "\u{2066}"])
  func replacesWhatCouldSteerATerminal(text: String) {
    let clean = OutsideText.clean("a\(text)::error::b")
    #expect(clean.hasPrefix("a\\u{") && clean.hasSuffix("}::error::b"))
    #expect(!clean.unicodeScalars.contains(where: OutsideText.isUnsafe))
  }

  @Test func cutsLongText() {
    #expect(OutsideText.clean(String(repeating: "x", count: 300), limit: 5) == "xxxxx…")
    #expect(OutsideText.clean("xxxxx", limit: 5) == "xxxxx")
  }

  @Test func readsBytesThatAreNotText() {
    #expect(OutsideText.clean(bytes: [0x61, 0xFF, 0x0A]) == "a\u{FFFD}\\u{a}")
  }
}

@Suite struct HexadecimalTests {
  @Test func everyByteHasTwoDigits() {
    let text = Hexadecimal.encode(UInt8.min...UInt8.max)
    #expect(text.utf8.count == 512 && text == text.lowercased())
    let read = stride(from: 0, to: 512, by: 2).map { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    #expect(read == Array(UInt8.min...UInt8.max))
    #expect(Hexadecimal.encode([]) == "" && Hexadecimal.encode([0x0A, 0xBC, 0x00]) == "0abc00")
  }
}

@Suite struct EditDistanceTests {
  @Test(arguments: [("vualt", "vault"), ("lgin", "login"), ("LOGUOT", "logout"), ("resolv", "resolve")])
  func findsWhatWasMeant(word: String, meant: String) {
    #expect(EditDistance.suggestion(for: word, among: ["vault", "login", "logout", "resolve", "env"]) == meant)
  }

  @Test func staysSilentWhenNothingIsNear() {
    #expect(EditDistance.suggestion(for: "banana", among: ["vault", "login"]) == nil)
    #expect(EditDistance.suggestion(for: String(repeating: "x", count: 100_000), among: ["vault"]) == nil)
  }

  @Test func countsASwapAsOneEdit() {
    #expect(EditDistance.distance("ab", "ba") == 1)
    #expect(EditDistance.distance("", "abc") == 3)
    #expect(EditDistance.distance("kitten", "sitting") == 3)
  }
}

@Suite struct JSONValueTests {
  @Test func escapesWhatJSONAsksFor() {
    let value: JSONValue = ["a\"b": .string("\u{0}\n\t\\\u{2028}é"), "n": [1, true, nil]]
    #expect(value.text == #"{"a\"b":"\u0000\n\t\\\u2028é","n":[1,true,null]}"#)
  }

  @Test func keepsTheOrderOfMembers() {
    #expect(JSONValue.string("\u{9B}\u{202E}").text == #""\u009b\u202e""#)
    #expect((["z": 1, "a": 2, "m": 3] as JSONValue).text == #"{"z":1,"a":2,"m":3}"#)
    #expect((["n": .number(UInt64.max)] as JSONValue).text == #"{"n":18446744073709551615}"#)
  }
}
