internal import Basics
internal import Vault

extension Check {
  /// Several openers see one vault.
  static let instances: [Check] = [
    Check("reopen", "what was committed is there when the vault is opened again") { probe throws(Failure) in
      let name = try KeyName("mfs.dbkey.main")
      let generation = try probe.open().update { contents throws(Failure) in try contents.set(name, bytes: [1, 0, 2]) }
      for _ in 0..<2 {
        let contents = try probe.open().contents()
        probe.expectNames([name], in: contents, "after opening again")
        try probe.expectValue(name, [1, 0, 2], in: contents, "after opening again")
        probe.expect(
          contents.generation == generation, "opening again led from \(generation) to \(contents.generation)")
      }
    },
    Check("interleaved", "two instances that change in turn lose nothing: each change starts from what is there") {
      probe throws(Failure) in
      let one = try probe.open(), two = try probe.open()
      // Both have read, so an implementation that edits what it read earlier shows itself.
      let start = try one.contents().generation
      _ = try two.contents()
      var names: [KeyName] = []
      for index in 0..<6 {
        let name = try KeyName("auth.n\(index)")
        try (index.isMultiple(of: 2) ? one : two).update { contents throws(Failure) in
          probe.expectNames(names, in: contents, "in the edit of change \(index)")
          try contents.set(name, bytes: [UInt8(index)])
        }
        names.append(name)
      }
      for vault in [one, two] {
        let contents = try vault.contents()
        probe.expectNames(names, in: contents, "after changes in turn")
        for (index, name) in names.enumerated() {
          try probe.expectValue(name, [UInt8(index)], in: contents, "after changes in turn")
        }
        probe.expect(contents.generation == start &+ 6, "six changes led from \(start) to \(contents.generation)")
      }
    },
    Check("stale-delete", "what one instance removed stays removed when another changes something else") {
      probe throws(Failure) in
      let gone = try KeyName("auth.a"), other = try KeyName("auth.b")
      let one = try probe.open(), two = try probe.open()
      try one.update { contents throws(Failure) in try contents.set(gone, bytes: [1]) }
      _ = try two.contents()
      try one.update { contents throws(Failure) in contents.remove(gone) }
      try two.update { contents throws(Failure) in try contents.set(other, bytes: [2]) }
      for vault in [one, two] { probe.expectNames([other], in: try vault.contents(), "after the stale instance wrote") }
    },
    Check("read-during-change", "reading neither waits for a change that is being made nor sees it") {
      probe throws(Failure) in
      let name = try KeyName("auth.a")
      let writer = try probe.open(), reader = try probe.open()
      try writer.update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      try writer.update { contents throws(Failure) in
        try contents.set(name, bytes: [2])
        try probe.expectValue(name, [1], in: try reader.contents(), "read during a change")
        try probe.expectValue(name, [1], in: try probe.open().contents(), "read by a new instance during a change")
      }
      try probe.expectValue(name, [2], in: try reader.contents(), "read after the change")
    },
    Check("stale-expectation", "a generation expected from before another instance's change is refused") {
      probe throws(Failure) in
      let one = try probe.open(), two = try probe.open()
      let before = try one.contents().generation
      try two.update { contents throws(Failure) in try contents.set(try KeyName("auth.a"), bytes: [1]) }
      probe.expectFailure(.vaultRolledBack, "a change for generation \(before)") { () throws(Failure) in
        try one.update(expectedGeneration: before) { contents throws(Failure) in
          contents.removeAll { _ in true }
        }
      }
      probe.expectNames([try KeyName("auth.a")], in: try one.contents(), "after the refused change")
    },
  ]
}
