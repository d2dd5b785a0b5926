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
      probe.expect(
        try !probe.store.unlinkIdentity(issuer: "apple", subject: "s2"), "a link that is not there was removed")
      probe.expect(try probe.store.unlinkIdentity(issuer: "apple", subject: "s1"), "the link was not removed")
      probe.expect(try !probe.store.unlinkIdentity(issuer: "apple", subject: "s1"), "the link was removed twice")
      probe.expectEqual(try probe.another().identityLinks(user: "u1"), [other], "the user's links after that")
      let theirs = IdentityLink(issuer: "apple", subject: "s1", user: "u2", linkedAt: at(2))
      probe.expect(try probe.another().linkIdentity(theirs), "the subject is not free")
      let new = IdentityLink(issuer: "apple", subject: "s2", user: "u1", linkedAt: at(2))
      probe.expect(try probe.another().linkIdentity(new), "the user is not free")
    },
  ]
}
