internal import BackendStore
internal import Basics

extension Check {
  /// Who at a provider has which account.
  static let identityLinks: [Check] = [
    Check("identity-link", "a link is read as it was made, by its subject and by its user, and made once") {
      probe throws(Failure) in
      try probe.addUser("u1")
      try probe.addUser("u2")
      let links = [
        IdentityLink(issuer: "apple", subject: "s1", user: "u1", linkedAt: at(1)),
        IdentityLink(issuer: "google", subject: "s1", user: "u1", linkedAt: at(2)),
        IdentityLink(issuer: "apple", subject: "s2", user: "u2", linkedAt: at(3)),
      ]
      for link in links.reversed() { probe.expect(try probe.store.linkIdentity(link), "\(link) was not made") }
      for link in links {
        probe.expectEqual(
          try probe.another().identityLink(issuer: link.issuer, subject: link.subject), link, "a link")
      }
      var again = links[0]
      again.linkedAt = at(9)
      probe.expect(try probe.another().linkIdentity(again), "the link that is there was refused")
      probe.expectEqual(try probe.another().identityLinks(user: "u1"), [links[0], links[1]], "a user's links")
      probe.expectEqual(try probe.another().identityLinks(user: "u2"), [links[2]], "another user's links")
      probe.expectEqual(try probe.store.identityLinks(user: "u3"), [], "nobody's links")
      for (issuer, subject) in [("google", "s2"), ("apple", "S1"), ("apple", "u1"), ("", "s1")] {
        let found = try probe.store.identityLink(issuer: issuer, subject: subject)
        probe.expect(found == nil, "\(issuer), \(subject) is found")
      }
      probe.expectEqual(try probe.store.consent(user: "u1", client: "apple"), [], "consents")
    },
    Check("identity-link-refused", "a subject has one user, a user one subject of an issuer, and nobody none") {
      probe throws(Failure) in
      try probe.addUser("u1")
      try probe.addUser("u2")
      func link(_ issuer: String, _ subject: String, _ user: String) throws(Failure) -> Bool {
        try probe.another().linkIdentity(IdentityLink(issuer: issuer, subject: subject, user: user, linkedAt: at(1)))
      }
      probe.expect(try link("apple", "s1", "u1"), "the first link was not made")
      probe.expect(try !link("apple", "s1", "u2"), "a subject was given a second user")
      probe.expect(try !link("apple", "s2", "u1"), "a user was given a second subject of an issuer")
      probe.expect(try !link("apple", "s3", "nobody"), "a subject was given a user who is not there")
      probe.expectEqual(
        try probe.store.identityLink(issuer: "apple", subject: "s1")?.user, "u1", "the subject's user after that")
      for subject in ["s2", "s3"] {
        let found = try probe.store.identityLink(issuer: "apple", subject: subject)
        probe.expect(found == nil, "\(subject) is linked after it was refused")
      }
      probe.expect(try link("apple", "s2", "u2"), "what was refused is kept from another user")
    },
    Check("unlink", "a link that is removed is gone, and no other; then the subject and the user are free") {
      probe throws(Failure) in
      try probe.addUser("u1")
      try probe.addUser("u2")
      let link = IdentityLink(issuer: "apple", subject: "s1", user: "u1", linkedAt: at(1))
      var other = link
      other.issuer = "google"
      for one in [link, other] { probe.expect(try probe.store.linkIdentity(one), "\(one) was not made") }
      for number in 1...3 { try probe.begin(number, user: number < 3 ? "u1" : "u2") }
      func unlink(_ issuer: String, _ user: String) throws(Failure) -> [String]? {
        try probe.store.unlinkIdentity(
          issuer: issuer, user: user, now: at(5), denyUntil: at(900),
          audit: { ended in
            [AuditEntry("unlinked", [.init("ended", ended.map { "\($0.count)" } ?? "none")], at: at(5))]
          })?.map(\.id)
      }
      for (issuer, user) in [("apple", "u2"), ("Apple", "u1"), ("apple", "s1")] {
        probe.expect(try unlink(issuer, user) == nil, "a link that is not there was removed")
      }
      for number in 1...3 { try probe.expectEnd(nil, of: number, "while nothing was removed") }
      probe.expectEqual(try unlink("apple", "u1")?.sorted(), ["sid-1", "sid-2"], "what ended by the removal")
      for number in 1...2 { try probe.expectEnd(.unlinked, of: number, "after that") }
      try probe.expectEnd(nil, of: 3, "another user's family")
      probe.expectEqual(
        try probe.store.denied(now: at(6)), ["sid-1": at(900), "sid-2": at(900)], "denials after that")
      probe.expect(try unlink("apple", "u1") == nil, "the link was removed twice")
      let records = try probe.store.auditRecords(after: 0, limit: 9).map { $0.fields.first?.value }
      probe.expectEqual(records, ["none", "none", "none", "2", "none"], "the audit log")
      probe.expectEqual(try probe.another().identityLinks(user: "u1"), [other], "the user's links after that")
      let theirs = IdentityLink(issuer: "apple", subject: "s1", user: "u2", linkedAt: at(2))
      probe.expect(try probe.another().linkIdentity(theirs), "the subject is not free")
      let new = IdentityLink(issuer: "apple", subject: "s2", user: "u1", linkedAt: at(2))
      probe.expect(try probe.another().linkIdentity(new), "the user is not free")
    },
    Check("unlinked", "no family begins by an identity that is not the user's any more, and the proof of it is spent") {
      probe throws(Failure) in
      try probe.addUser("u1")
      try probe.addUser("u2")
      let link = IdentityLink(issuer: "apple", subject: "s1", user: "u1", linkedAt: at(1))
      probe.expect(try probe.store.linkIdentity(link), "the link was not made")
      func begin(_ number: Int, _ user: String = "u1", issuer: String = "apple") throws(Failure) -> BeginOutcome {
        let family = Family(
          id: "sid-\(number)", handle: handle(number), user: user, client: "mobile", device: nil, scopes: [],
          authTime: start, createdAt: start, expiresAt: at(100), idleSeconds: 50, current: hash(number))
        var proof = SpentOnce(digest: [UInt8(number)], until: at(60))
        proof.identity = .init(issuer: issuer, subject: "s1")
        return try probe.another().begin(family, on: DeviceDescription(), spending: proof)
      }
      probe.expectEqual(try begin(1), .begun(), "by the user's identity")
      probe.expectEqual(try begin(2, "u2"), .unlinked, "by another user's identity")
      probe.expectEqual(try begin(3, issuer: "google"), .unlinked, "by an identity of another issuer's")
      _ = try probe.store.unlinkIdentity(issuer: "apple", user: "u1", now: at(2), denyUntil: nil, audit: nil)
      probe.expectEqual(try begin(4), .unlinked, "by an identity that was unlinked")
      probe.expect(try probe.store.family(id: "sid-4") == nil, "a family began all the same")
      _ = try probe.store.linkIdentity(link)
      probe.expectEqual(try begin(4), .replay, "by what was spent")
    },
  ]
}
