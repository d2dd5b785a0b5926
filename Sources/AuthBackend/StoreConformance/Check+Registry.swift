internal import BackendStore
internal import Basics

extension Check {
  /// Clients, users and consents.
  static let registry: [Check] = [
    Check("clients", "a client is read as it was put, replaced whole, and listed by id") { probe throws(Failure) in
      var client = Client(
        id: "b", name: "N \"ä\" \\ \u{1F512}", redirectURIs: ["app:/cb", "https://a.example/cb?x=1&y=%20"])
      client.postLogoutRedirectURIs = ["app:/out"]
      client.scopes = ["openid"]
      client.grants = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]
      client.isFirstParty = false
      client.audience = "https://api.example"
      client.devicePolicy = .required
      client.attestation = .observe
      client.graceSeconds = 10
      client.properties = ["apple-app-id": "TEAM.app", "empty": "", "line": "a\nb"]
      client.isEnabled = false
      let plain = Client(id: "a", name: "", redirectURIs: [])
      try probe.store.put(client)
      try probe.store.put(plain)
      probe.expectEqual(try probe.another().client("b"), client, "a client")
      probe.expectEqual(try probe.another().clients(), [plain, client], "all clients")
      client.redirectURIs = []
      client.properties = [:]
      client.isEnabled = true
      try probe.store.put(client)
      probe.expectEqual(try probe.another().clients(), [plain, client], "all clients after one was replaced")
      probe.expect(try probe.store.client("B") == nil, "a client is found by another's id")
    },
    Check("remove-client", "a client that is removed is gone with its families, codes and consents") {
      probe throws(Failure) in
      try probe.store.put(Client(id: "mobile", name: "m", redirectURIs: []))
      try probe.begin(1)
      try probe.begin(2, client: "other")
      try probe.addCode()
      try probe.store.addConsent(user: "u1", client: "mobile", scopes: ["a"])
      try probe.store.addConsent(user: "u1", client: "other", scopes: ["b"])
      probe.expect(try probe.store.removeClient("mobile", now: at(5), denyUntil: at(900)), "the client was not found")
      probe.expect(try probe.another().client("mobile") == nil, "the client is still there")
      try probe.expectEnd(.administrator, of: 1, "the client's family")
      try probe.expectEnd(nil, of: 2, "another client's family")
      probe.expectEqual(try probe.store.denied(now: at(5)), ["sid-1": at(900)], "denials")
      try probe.expectRefused(probe.redemption(1, family: 3), .unknown, "the client's code")
      probe.expectEqual(try probe.store.consent(user: "u1", client: "mobile"), [], "the client's consent")
      probe.expectEqual(try probe.store.consent(user: "u1", client: "other"), ["b"], "another client's consent")
      probe.expect(try !probe.store.removeClient("mobile", now: at(6), denyUntil: nil), "it was removed twice")
    },
    Check("users", "a user is read as it was added, by id and by name, which are unique") { probe throws(Failure) in
      var user = User(id: "u1", name: "alice", passwordHash: "$argon2id$x", createdAt: at(1))
      user.claims = [
        "email": "a@b.example", "email_verified": true, "n": .integer(3), "address": .object([.init("x", .null)]),
        "amr": .strings(["pwd"]),
      ]
      user.passwordChangedAt = at(2)
      let plain = User(id: "u2", name: "Bob", passwordHash: nil, createdAt: at(3))
      try probe.store.add(user)
      try probe.store.add(plain)
      probe.expectEqual(try probe.another().user(id: "u1"), user, "a user by id")
      probe.expectEqual(try probe.another().user(named: "alice"), user, "a user by name")
      probe.expectEqual(try probe.another().users().map(\.id).sorted(), ["u1", "u2"], "all users")
      probe.expect(try probe.store.user(named: "bob") == nil, "a user is found by another's name")
      for (id, name) in [("u1", "carol"), ("u3", "alice")] {
        probe.expectFailure(.exists, "adding \(id), \(name)") { () throws(Failure) in
          try probe.store.add(User(id: id, name: name, passwordHash: nil, createdAt: start))
        }
      }
      probe.expectEqual(try probe.another().users().count, 2, "the number of users after that")
    },
    Check("change-user", "a change ends the user's families and browser sessions in the same step, if it is to") {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.begin(2)
      try probe.begin(3, user: "u2")
      for (number, user) in [(1, "u1"), (2, "u2")] { try probe.addSession(number, user: user) }
      _ = try probe.store.end(.id("sid-2"), .logout, now: at(1), denyUntil: nil)
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.claims = ["name": "A"]
      let none = try probe.store.change(user, ending: nil, now: at(2), denyUntil: at(900))
      probe.expectEqual(none, [], "families that a change of claims ended")
      (user.passwordHash, user.passwordChangedAt, user.name) = ("$argon2id$y", at(3), "new-name")
      let ended = try probe.store.change(user, ending: .password, now: at(3), denyUntil: at(900))
      probe.expectEqual(ended.map(\.id), ["sid-1"], "families that a new password ended")
      probe.expectEqual(try probe.another().user(named: "new-name"), user, "the user after that")
      try probe.expectEnd(.password, of: 1, "the user's family")
      try probe.expectEnd(.logout, of: 2, "a family that had ended")
      try probe.expectEnd(nil, of: 3, "another user's family")
      probe.expectEqual(try probe.store.denied(now: at(3)), ["sid-1": at(900)], "denials")
      probe.expect(try probe.store.browserSession(presented: [hash(1)], now: at(4)) == nil, "the session goes on")
      probe.expect(try probe.store.browserSession(presented: [hash(2)], now: at(4)) != nil, "another's session is gone")
      probe.expectFailure(.notFound, "changing nobody") { () throws(Failure) in
        _ = try probe.store.change(
          User(id: "u9", name: "x", passwordHash: nil, createdAt: start), ending: nil, now: start, denyUntil: nil)
      }
      user.name = "name-u2"
      probe.expectFailure(.exists, "taking another's name") { () throws(Failure) in
        _ = try probe.store.change(user, ending: nil, now: start, denyUntil: nil)
      }
    },
    Check(
      "change-user-if", "a change that depends on what the user was is made only while it is that, whole or not at all"
    ) {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.addSession()
      guard let known = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      var disabled = known
      disabled.isDisabled = true
      _ = try probe.another().change(disabled, ending: nil, now: at(1), denyUntil: nil)
      var wanted = known
      (wanted.passwordHash, wanted.passwordChangedAt) = ("$argon2id$y", at(2))
      let late = try probe.store.change(wanted, ifWas: known, ending: .password, now: at(2), denyUntil: at(900))
      probe.expect(late == nil, "a change after another was made")
      probe.expectEqual(try probe.another().user(id: "u1"), disabled, "the user after that")
      try probe.expectEnd(nil, of: 1, "the family after that")
      probe.expectEqual(try probe.store.denied(now: at(3)), [:], "denials after that")
      _ = try probe.another().change(known, ending: nil, now: at(4), denyUntil: nil)
      let session = try probe.store.browserSession(presented: [hash(1)], now: at(4))
      probe.expect(session != nil, "the session is gone after that")
      // Each part of a user counts.
      for change: (inout User) -> Void in [
        { $0.name = "n" }, { $0.passwordHash = "$argon2id$z" }, { $0.claims = ["a": 1] }, { $0.isDisabled = true },
        { $0.passwordChangedAt = at(1) }, { $0.createdAt = at(1) },
      ] {
        var other = known
        change(&other)
        let outcome = try probe.store.change(wanted, ifWas: other, ending: nil, now: at(5), denyUntil: nil)
        probe.expect(outcome == nil, "a change of somebody else was made: \(other)")
      }
      let ended = try probe.another().change(wanted, ifWas: known, ending: .password, now: at(6), denyUntil: at(900))
      probe.expectEqual(ended?.map(\.id), ["sid-1"], "families that it ended")
      probe.expectEqual(try probe.store.user(id: "u1"), wanted, "the user after the change")
      try probe.expectEnd(.password, of: 1, "the family after the change")
      probe.expectEqual(try probe.store.denied(now: at(6)), ["sid-1": at(900)], "denials after the change")
      let nobody = User(id: "u9", name: "x", passwordHash: nil, createdAt: start)
      let none = try probe.store.change(nobody, ifWas: nobody, ending: nil, now: at(7), denyUntil: nil)
      probe.expect(none == nil, "nobody was changed")
    },
    Check("consent", "scopes are added to a consent, each once, by user and client") { probe throws(Failure) in
      try probe.store.addConsent(user: "u1", client: "c", scopes: ["b", "a"])
      try probe.store.addConsent(user: "u1", client: "c", scopes: ["b", "c"])
      try probe.store.addConsent(user: "u2", client: "c", scopes: ["d"])
      probe.expectEqual(try probe.another().consent(user: "u1", client: "c").sorted(), ["a", "b", "c"], "a consent")
      probe.expectEqual(try probe.store.consent(user: "u1", client: "d"), [], "a consent that was not given")
    },
  ]

  /// Keys of the server's.
  static let keys: [Check] = [
    Check("keys", "keys are numbered in rising order, kept as they are, and listed by purpose, oldest first") {
      probe throws(Failure) in
      var made: [SealedKey] = []
      for (index, purpose) in [SealedKey.Purpose.signing, .pepper, .signing].enumerated() {
        var key = SealedKey(
          purpose: purpose, keyID: "k\(index)", algorithm: "EdDSA", publicJWK: "{\"kty\":\"OKP\"}",
          sealed: [0, 1, 255, UInt8(index)], createdAt: at(Int64(index)), activeAt: at(Int64(index) + 5))
        let newest = try probe.store.keys(purpose).last?.number ?? 0
        let added = try probe.store.add(key, ifNewestIs: newest)
        guard let added else { return probe.report("key \(index) was not added") }
        probe.expect(added.number > (made.last?.number ?? 0), "key \(index) has the number \(added.number)")
        key.number = added.number
        probe.expectEqual(added, key, "key \(index)")
        made.append(key)
      }
      probe.expectEqual(try probe.another().keys(.signing), [made[0], made[2]], "the signing keys")
      probe.expectEqual(try probe.another().keys(.pepper), [made[1]], "the peppers")
    },
    Check("keys-newest", "a key is added only while the newest is the one that is expected") { probe throws(Failure) in
      let key = SealedKey(
        purpose: .pepper, keyID: "", algorithm: "", publicJWK: "", sealed: [1], createdAt: start, activeAt: start)
      probe.expect(try probe.store.add(key, ifNewestIs: 1) == nil, "a key was added after one that is not there")
      let first = try probe.store.add(key, ifNewestIs: 0)
      probe.expect(first != nil, "the first key was not added")
      probe.expect(try probe.another().add(key, ifNewestIs: 0) == nil, "a second first key was added")
      let second = try probe.another().add(key, ifNewestIs: first?.number ?? -1)
      probe.expect(second != nil, "the second key was not added")
      probe.expect(
        try probe.store.add(key, ifNewestIs: first?.number ?? -1) == nil,
        "a key was added after one that is not the newest")
      probe.expectEqual(try probe.store.keys(.pepper).count, 2, "the number of keys")
    },
    Check("keys-retire", "a key is retired and removed at given times, and its number is never used again") {
      probe throws(Failure) in
      let key = SealedKey(
        purpose: .signing, keyID: "k", algorithm: "RS256", publicJWK: "{}", sealed: [1], createdAt: start,
        activeAt: start)
      guard var added = try probe.store.add(key, ifNewestIs: 0) else { return probe.report("no key was added") }
      try probe.store.retire(added.number, retiredAt: at(10), removedAt: at(20))
      (added.retiredAt, added.removedAt) = (at(10), at(20))
      probe.expectEqual(try probe.another().keys(.signing), [added], "the keys after one was retired")
      for (retired, removed): (Int64, Int64) in [(10, 20), (11, 21), (10, 1_000)] {
        probe.expect(
          try !probe.another().retire(added.number, retiredAt: at(retired), removedAt: at(removed)), "it was put off")
      }
      probe.expectEqual(try probe.store.keys(.signing), [added], "the keys after others would have kept it for longer")
      probe.expect(try probe.store.retire(added.number, retiredAt: at(9), removedAt: at(30)), "nothing was changed")
      added.retiredAt = at(9)
      probe.expectEqual(try probe.another().keys(.signing), [added], "the keys after it was retired sooner")
      probe.expectFailure(.notFound, "retiring no key") { () throws(Failure) in
        try probe.store.retire(added.number + 1, retiredAt: start, removedAt: start)
      }
      try probe.store.prune(now: at(19), keepSeconds: 0)
      probe.expectEqual(try probe.store.keys(.signing), [added], "the keys before the removal")
      try probe.store.prune(now: at(20), keepSeconds: 1_000)
      probe.expectEqual(try probe.store.keys(.signing), [], "the keys after the removal")
      let next = try probe.store.add(key, ifNewestIs: 0)
      probe.expect(next.map { $0.number > added.number } ?? false, "a number was used again, or no key added")
    },
  ]
}
