internal import Basics
internal import Vault

extension Check {
  /// Changes happen whole, once, and are counted.
  static let commits: [Check] = [
    Check("generation", "the generation rises by one with each change, however much it changes") {
      probe throws(Failure) in
      let vault = try probe.open()
      let start = try vault.contents().generation
      let one = try vault.update { contents throws(Failure) in try contents.set(try KeyName("auth.a"), bytes: [1]) }
      probe.expect(one == start &+ 1, "the first change led from \(start) to \(one)")
      let two = try vault.update { contents throws(Failure) in
        try contents.set(try KeyName("auth.a"), bytes: [2])
        try contents.set(try KeyName("auth.b"), bytes: [3])
        contents.remove(try KeyName("auth.a"))
      }
      probe.expect(two == start &+ 2, "the second change led from \(one) to \(two)")
      let read = try probe.open().contents().generation
      probe.expect(read == two, "the generation read is \(read), the change returned \(two)")
    },
    Check("no-op", "an edit that changes nothing writes nothing and keeps the generation") { probe throws(Failure) in
      let name = try KeyName("auth.a")
      let vault = try probe.open()
      let before = try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      let after = try vault.update { contents throws(Failure) in contents.remove(try KeyName("auth.absent")) }
      probe.expect(after == before, "removing an absent name led from generation \(before) to \(after)")
      let same = try vault.update { _ throws(Failure) in }
      probe.expect(same == before, "an empty edit led from generation \(before) to \(same)")
      let read = try probe.open().contents()
      probe.expect(read.generation == before, "the generation read after no-ops is \(read.generation), not \(before)")
      try probe.expectValue(name, [1], in: read, "after no-ops")
    },
    Check("delete", "a removed name is gone, the others stay, and it can be set again") { probe throws(Failure) in
      let gone = try KeyName("auth.a"), kept = try KeyName("auth.b")
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in
        try contents.set(gone, bytes: [1])
        try contents.set(kept, bytes: [2])
      }
      var was = false
      try vault.update { contents throws(Failure) in was = contents.remove(gone) }
      probe.expect(was, "removing \(gone) did not find it")
      let contents = try probe.open().contents()
      probe.expectNames([kept], in: contents, "after removing one of two")
      try probe.expectValue(kept, [2], in: contents, "after removing the other")
      try vault.update { contents throws(Failure) in try contents.set(gone, bytes: [3]) }
      try probe.expectValue(gone, [3], in: try probe.open().contents(), "after setting it again")
    },
    Check("failed-edit", "an edit that throws changes nothing, and its failure comes out as it is") {
      probe throws(Failure) in
      let name = try KeyName("auth.a")
      let vault = try probe.open()
      let before = try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      probe.expectFailure(.cancelled, "an edit that throws") { () throws(Failure) in
        try vault.update { contents throws(Failure) in
          try contents.set(name, bytes: [2])
          try contents.set(try KeyName("auth.b"), bytes: [3])
          throw Failure(.cancelled, "the edit gives up")
        }
      }
      for read in [try vault.contents(), try probe.open().contents()] {
        probe.expectNames([name], in: read, "after a failed edit")
        try probe.expectValue(name, [1], in: read, "after a failed edit")
        probe.expect(read.generation == before, "a failed edit led from \(before) to \(read.generation)")
      }
      try vault.update { contents throws(Failure) in try contents.set(name, bytes: [4]) }
      try probe.expectValue(name, [4], in: try vault.contents(), "in the change after a failed edit")
    },
    Check("expected-generation", "a change for another generation is refused before its edit runs") {
      probe throws(Failure) in
      let name = try KeyName("auth.a")
      let vault = try probe.open()
      let current = try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      for wrong in [current &- 1, current &+ 1, UInt64.max] {
        var ran = false
        probe.expectFailure(.vaultRolledBack, "a change for generation \(wrong) at \(current)") { () throws(Failure) in
          try vault.update(expectedGeneration: wrong) { contents throws(Failure) in
            ran = true
            try contents.set(name, bytes: [2])
          }
        }
        probe.expect(!ran, "the edit for generation \(wrong) ran at \(current)")
      }
      try probe.expectValue(name, [1], in: try probe.open().contents(), "after refused changes")
      let next = try vault.update(expectedGeneration: current) { contents throws(Failure) in
        try contents.set(name, bytes: [3])
      }
      probe.expect(next == current &+ 1, "a change for the right generation led from \(current) to \(next)")
      try probe.expectValue(name, [3], in: try probe.open().contents(), "after a change for the right generation")
    },
    Check("edit-sees-contents", "an edit is handed what is in the vault, with its generation") {
      probe throws(Failure) in
      let name = try KeyName("auth.a")
      let vault = try probe.open()
      let generation = try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1, 2]) }
      try vault.update { contents throws(Failure) in
        probe.expect(contents.generation == generation, "the edit sees \(contents.generation), not \(generation)")
        probe.expect(contents.changes.isEmpty, "the edit begins with changes")
        try probe.expectValue(name, [1, 2], in: contents, "in an edit")
      }
    },
    Check("snapshot", "changing what was read does not change the vault") { probe throws(Failure) in
      let name = try KeyName("auth.a")
      let vault = try probe.open()
      try vault.update { contents throws(Failure) in try contents.set(name, bytes: [1]) }
      let read = try vault.contents()
      try read.set(name, bytes: [2])
      try read.set(try KeyName("auth.b"), bytes: [3])
      for contents in [try vault.contents(), try probe.open().contents()] {
        probe.expectNames([name], in: contents, "after changing a snapshot")
        try probe.expectValue(name, [1], in: contents, "after changing a snapshot")
      }
    },
  ]
}
