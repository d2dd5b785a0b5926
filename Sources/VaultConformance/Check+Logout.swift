internal import Basics
internal import Vault

extension Check {
  /// Logout and wipe, as the changes that they are.
  static let logout: [Check] = [
    Check("logout", "removing what begins with 'auth.' keeps all else bit for bit, and the times it was set") {
      probe throws(Failure) in
      let kept = try keptNames.map(keyName), gone = try goneNames.map(keyName)
      let time = Timestamp(seconds: 1_700_000_000)
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        for name in kept + gone { try contents.set(name, bytes: bytes(of: name), at: time) }
      }
      var removed: [KeyName] = []
      let generation = try vault.update { contents throws(Failure) in
        removed = contents.removeAll(where: \.isCredential)
      }
      probe.expect(removed == gone.sorted(), "logout removed \(removed.map(\.text))")
      let contents = try probe.open().contents()
      probe.expectNames(kept, in: contents, "after logout")
      for name in kept {
        try probe.expectValue(name, bytes(of: name), in: contents, "after logout")
        probe.expect(contents[name]?.updatedAt == time, "\(name) has another time after logout")
      }
      probe.expect(contents.generation == generation, "logout returned \(generation), \(contents.generation) was read")
    },
    Check("logout-twice", "a second logout removes nothing and is no change") { probe throws(Failure) in
      let key = try KeyName("mfs.dbkey.main")
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        try contents.set(key, bytes: [5])
        try contents.set(try KeyName("auth.sessionId"), bytes: [6])
      }
      let first = try vault.update { contents throws(Failure) in contents.removeAll(where: \.isCredential) }
      var removed: [KeyName] = []
      let second = try probe.open().update { contents throws(Failure) in
        removed = contents.removeAll(where: \.isCredential)
      }
      probe.expect(removed.isEmpty, "the second logout removed \(removed.map(\.text))")
      probe.expect(second == first, "the second logout led from \(first) to \(second)")
      try probe.expectValue(key, [5], in: try vault.contents(), "after two logouts")
    },
    Check("wipe", "removing everything leaves a vault that is empty, initialised and usable") { probe throws(Failure) in
      let vault = try probe.open()
      let before = try vault.update { contents throws(Failure) in
        for name in try (keptNames + goneNames).map(keyName) { try contents.set(name, bytes: bytes(of: name)) }
      }
      let after = try vault.update { contents throws(Failure) in contents.removeAll { _ in true } }
      probe.expect(after == before &+ 1, "the wipe led from \(before) to \(after)")
      let contents = try probe.open().contents()
      probe.expectNames([], in: contents, "after a wipe")
      probe.expect(contents.generation == after, "the wipe returned \(after), \(contents.generation) was read")
      let again = try probe.open().update { contents throws(Failure) in contents.removeAll { _ in true } }
      probe.expect(again == after, "a second wipe led from \(after) to \(again)")
      let name = try KeyName("auth.sessionId")
      try probe.open().update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      try probe.expectValue(name, [1], in: try vault.contents(), "set after a wipe")
    },
    Check("old-value-gone", "after a logout and a new sign-in only the new value is there") { probe throws(Failure) in
      let name = try KeyName("auth.refreshToken")
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1, 1, 1]) }
      try vault.update { contents throws(Failure) in contents.removeAll(where: \.isCredential) }
      try vault.update { contents throws(Failure) in try contents.set(name, bytes: [2]) }
      try probe.expectValue(name, [2], in: try probe.open().contents(), "after signing in again")
      try vault.update { contents throws(Failure) in contents.remove(name) }
      probe.expectNames([], in: try probe.open().contents(), "after removing it")
    },
  ]

  private static let keptNames = [
    "mfs.dbkey.main", "mfs.dbkey.auth.x", "mfs.deviceId", "auth", "auth.", "authx", "AUTH.sessionId", "authentic.x",
    "x.auth.y", "other",
  ]
  private static let goneNames = ["auth.sessionId", "auth.a", "auth.plugin.demo.x", "auth.mfs.dbkey.main", "auth.."]

  /// 32 bytes that differ by name and hold NULs and line ends, as a raw database key may.
  private static func bytes(of name: KeyName) -> [UInt8] {
    let letters = Array(name.text.utf8)
    return [0, 10, 255, 13] + (0..<28).map { letters[$0 % letters.count] &+ UInt8($0) }
  }
}
