internal import BackendStore
internal import Basics

extension Check {
  /// Resource servers, and what they ask.
  static let resourceServers: [Check] = [
    Check("resource-servers", "a resource server is read as it was put, replaced whole, listed by name and removed") {
      probe throws(Failure) in
      var server = ResourceServer(name: "b", audience: "api", secret: hash(1), createdAt: at(1))
      let other = ResourceServer(
        name: "a", audience: "https://a.example/x", secret: hash(2, pepper: 3), createdAt: at(2))
      try probe.store.put(server)
      try probe.store.put(other)
      probe.expectEqual(try probe.another().resourceServer("b"), server, "a resource server")
      probe.expectEqual(try probe.another().resourceServers(), [other, server], "all resource servers")
      probe.expect(try probe.store.resourceServer("B") == nil, "a resource server is found by another's name")
      (server.audience, server.secret, server.createdAt) = ("other", hash(3, pepper: 2), at(3))
      try probe.another().put(server)
      probe.expectEqual(try probe.store.resourceServer("b"), server, "a resource server that was replaced")
      probe.expect(try probe.store.removeResourceServer("b"), "the resource server was not found")
      probe.expectEqual(try probe.another().resourceServers(), [other], "all after one was removed")
      probe.expect(try !probe.store.removeResourceServer("b"), "it was removed twice")
    },
    Check("rehash-secret", "a secret is stored under another pepper only while it is the one that was shown") {
      probe throws(Failure) in
      var server = ResourceServer(name: "a", audience: "api", secret: hash(1), createdAt: at(1))
      try probe.store.put(server)
      for known in [hash(2), hash(1, pepper: 2)] {
        probe.expect(
          try !probe.store.rehashSecret(of: "a", known: known, as: hash(4, pepper: 2)),
          "a secret was stored in another's place")
      }
      probe.expect(
        try !probe.store.rehashSecret(of: "b", known: hash(1), as: hash(4)), "nobody's secret was stored anew")
      probe.expectEqual(try probe.another().resourceServers(), [server], "all after that")
      probe.expect(
        try probe.store.rehashSecret(of: "a", known: hash(1), as: hash(5, pepper: 2)), "a secret was not stored anew")
      server.secret = hash(5, pepper: 2)
      probe.expectEqual(try probe.another().resourceServers(), [server], "all after it was")
    },
    Check("denied-some", "denials are listed in the order of their ids, some at a time, those that are over left out") {
      probe throws(Failure) in
      for (id, end) in [("c", 20), ("a", 30), ("b", 5), ("e", 40), ("d", 50)] as [(String, Int64)] {
        try probe.store.deny(id, until: at(end))
      }
      let all = [("a", 30), ("c", 20), ("d", 50), ("e", 40)].map { Denial(id: $0.0, until: at($0.1)) }
      let store = try probe.another()
      probe.expectEqual(try store.denied(now: at(5), after: "", limit: 10), all, "all denials")
      probe.expectEqual(try store.denied(now: at(5), after: "", limit: 2), Array(all.prefix(2)), "the first two")
      probe.expectEqual(try store.denied(now: at(5), after: "c", limit: 2), Array(all.suffix(2)), "the next two")
      probe.expectEqual(try store.denied(now: at(20), after: "b", limit: 1), [all[2]], "one, later")
      probe.expectEqual(try store.denied(now: at(5), after: "e", limit: 10), [], "those after the last")
    },
    Check("denials-mark", "what is denied has the same mark while it is the same, and another one after any change") {
      probe throws(Failure) in
      let store = try probe.another()
      var marks = [try store.denialsMark(now: at(0))]
      let steps: [(what: String, id: String, until: Int64, now: Int64)] = [
        ("the first id", "b", 20, 1), ("one more", "a", 40, 2), ("one that is over as early", "c", 20, 3),
        ("one for longer", "b", 30, 4), ("one in place of one that is over", "d", 50, 20),
        ("one for as much longer as another was denied", "d", 80, 30),
      ]
      for (what, id, until, now) in steps {
        try probe.store.deny(id, until: at(until))
        marks.append(try store.denialsMark(now: at(now)))
        probe.expect(Set(marks).count == marks.count, "a mark came again with \(what)")
        probe.expectEqual(try store.denialsMark(now: at(now)), marks.last, "the mark after \(what), asked for again")
      }
      try probe.store.deny("d", until: at(60))
      probe.expectEqual(try store.denialsMark(now: at(30)), marks.last, "the mark after what changes nothing")
      probe.expect(try store.denialsMark(now: at(40)) != marks.last, "the mark is the same when one is over")
      probe.expectEqual(try store.denialsMark(now: at(80)), marks.first, "the mark when all are over")
    },
  ]
}
