internal import Basics
internal import Vault

extension Check {
  /// What is put in comes out.
  static let values: [Check] = [
    Check("empty", "a new vault has no names") { probe throws(Failure) in
      probe.expectNames([], in: try probe.open().contents(), "in a new vault")
    },
    Check("bytes", "any bytes come back as they were set: none at all, NUL, line ends, 0xFF, UTF-8") {
      probe throws(Failure) in
      for (name, bytes) in try awkwardValues() {
        let vault = try probe.open()
        try vault.update { contents throws(Failure) in try contents.set(name, bytes: bytes) }
        try probe.expectValue(name, bytes, in: try vault.contents(), "after setting it")
      }
      let all = try probe.open().contents()
      for (name, bytes) in try awkwardValues() { try probe.expectValue(name, bytes, in: all, "in the end") }
    },
    Check("large-value", "a value of 1 MiB comes back whole") { probe throws(Failure) in
      let name = try KeyName("auth.large")
      let bytes = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in try contents.set(name, bytes: bytes) }
      try probe.expectValue(name, bytes, in: try probe.open().contents(), "after opening the vault again")
    },
    Check("overwrite", "setting a name again replaces its value, a shorter one too") { probe throws(Failure) in
      let name = try KeyName("auth.sessionId")
      let vault = try probe.open()
      for bytes: [UInt8] in [[1, 2, 3, 4, 5], [9], [], [7, 8]] {
        try vault.update { contents throws(Failure) in try contents.set(name, bytes: bytes) }
        try probe.expectValue(name, bytes, in: try vault.contents(), "after overwriting it")
        probe.expectNames([name], in: try vault.contents(), "after overwriting")
      }
    },
    Check("updated-at", "the moment a value was set is kept, and of the others too when one changes") {
      probe throws(Failure) in
      let first = try KeyName("auth.idToken"), second = try KeyName("mfs.dbkey.main")
      let early = Timestamp(seconds: 1_000_000_000), late = Timestamp(seconds: 4_102_444_800)
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        try contents.set(first, bytes: [1], at: early)
        try contents.set(second, bytes: [2], at: early)
      }
      try vault.update { contents throws(Failure) in try contents.set(first, bytes: [3], at: late) }
      let contents = try probe.open().contents()
      probe.expect(contents[first]?.updatedAt == late, "\(first) was set at \(late), not at \(seen(contents[first]))")
      probe.expect(
        contents[second]?.updatedAt == early, "\(second) was set at \(early), not at \(seen(contents[second]))")
    },
    Check("names", "names differ by case and by every character, up to 128 of them") { probe throws(Failure) in
      let names =
        try ["auth.a", "auth.A", "AUTH.a", "auth", "auth.", "auth.a.b", "-", ".", "_", "0"].map(keyName)
        + [try keyName(String(repeating: "x", count: 128)), try keyName(String(repeating: "x", count: 127))]
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        for (index, name) in names.enumerated() { try contents.set(name, bytes: [UInt8(index)]) }
      }
      let contents = try probe.open().contents()
      probe.expectNames(names, in: contents, "after setting them")
      for (index, name) in names.enumerated() {
        try probe.expectValue(name, [UInt8(index)], in: contents, "among names like it")
      }
    },
    Check("many", "64 values set in one change and removed in another") { probe throws(Failure) in
      var names: [KeyName] = []
      for index in 0..<64 { names.append(try KeyName("auth.plugin.demo.\(index)")) }
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        for (index, name) in names.enumerated() { try contents.set(name, bytes: [UInt8](repeating: 65, count: index)) }
      }
      let contents = try probe.open().contents()
      probe.expectNames(names, in: contents, "after setting 64")
      for (index, name) in names.enumerated() {
        try probe.expectValue(name, [UInt8](repeating: 65, count: index), in: contents, "of 64")
      }
      try vault.update { contents throws(Failure) in contents.removeAll { $0 != names[7] } }
      probe.expectNames([names[7]], in: try probe.open().contents(), "after removing 63")
    },
  ]

  private static func seen(_ entry: VaultContents.Entry?) -> String { entry?.updatedAt.rfc3339 ?? "no time" }

  static func keyName(_ text: String) throws(Failure) -> KeyName { try KeyName(text) }

  private static func awkwardValues() throws(Failure) -> [(KeyName, [UInt8])] {
    [
      (try KeyName("auth.zero"), []),
      (try KeyName("auth.nul"), [0]),
      (try KeyName("auth.nuls"), [0, 65, 0, 66, 0, 0]),
      (try KeyName("auth.newline"), [0x0A]),
      (try KeyName("auth.lines"), Array("\r\na\n\nb\r\n".utf8)),
      (try KeyName("auth.space"), Array(" \t a \t ".utf8)),
      (try KeyName("auth.ff"), [0xFF, 0xFE, 0x80, 0xC0, 0xFF]),
      (try KeyName("auth.utf8"), Array("na\u{EF}ve \u{2013} \u{1F512} \u{65E5}\u{672C}".utf8)),
      (try KeyName("auth.base64"), Array("YWJj==".utf8)),
      (try KeyName("auth.every"), (0...255).map { UInt8($0) }),
    ]
  }
}
