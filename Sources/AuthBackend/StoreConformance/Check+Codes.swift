internal import BackendStore
internal import Basics

extension Check {
  /// An authorization code is redeemed once, by whom it was issued to.
  static let codes: [Check] = [
    Check("redeem", "a code begins the family that it stands for, and is returned as it was") { probe throws(Failure) in
      try probe.addUser()
      try probe.addCode()
      var redemption = probe.redemption()
      redemption.presented = [hash(7, pepper: 3), hash(501)]
      let outcome = try probe.store.redeem(redemption)
      guard case .redeemed(let family, let code, _) = outcome else { return probe.report("redeeming: \(outcome)") }
      let expected = Family(
        id: "sid-1", handle: handle(1), user: "u1", client: "mobile", device: "d1", scopes: ["a", "b"],
        authTime: at(-7), createdAt: at(10), expiresAt: at(10_010), idleSeconds: 1_000, current: hash(1_000))
      probe.expectEqual(family, expected, "the family")
      probe.expectEqual(try probe.another().family(id: "sid-1"), expected, "the family that is read")
      probe.expectEqual(
        code,
        AuthorizationCode(
          hash: hash(501), client: "mobile", redirectURI: "app:/cb", challenge: "challenge-1", user: "u1",
          device: "d1", scopes: ["a", "b"], nonce: "n", authTime: at(-7), browserSession: nil, expiresAt: at(60)),
        "the code")
      try probe.expectRotated(probe.rotation(0, 1, at: 20), "the family's first token")
    },
    Check("redeem-unknown", "a code that was never issued, or under another pepper, is unknown") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addCode()
      try probe.expectRefused(probe.redemption(2), .unknown, "a code made up")
      var redemption = probe.redemption()
      redemption.presented = [hash(501, pepper: 2)]
      try probe.expectRefused(redemption, .unknown, "the same bytes under another pepper")
    },
    Check("redeem-replay", "a code that comes again ends the family it began and no other; once, and denies it") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addCode()
      try probe.begin(9)
      _ = try probe.store.redeem(probe.redemption())
      var again = probe.redemption(1, family: 2, at: 500)
      (again.client, again.denyUntil) = ("other", at(900))
      try probe.expectRefused(again, .replay, ended: "sid-1", "the code again, late and from another client")
      try probe.expectEnd(.codeReplay, "after that")
      try probe.expectEnd(nil, of: 9, "another family of the user's")
      probe.expectEqual(try probe.store.denied(now: at(500)), ["sid-1": at(900)], "denials after that")
      try probe.expectRefused(again, .replay, "the code a third time")
      probe.expect(try probe.store.family(id: "sid-2") == nil, "a replay began a family")
    },
    Check("redeem-mismatch", "the wrong client, redirect URI or verifier gets nothing, and the code is spent") {
      probe throws(Failure) in
      try probe.addUser()
      let wrong: [(String, (inout Redemption) -> Void)] = [
        ("client", { $0.client = "other" }), ("redirect URI", { $0.redirectURI = "app:/cb/" }),
        ("missing redirect URI", { $0.redirectURI = nil }), ("challenge", { $0.challenge = "challenge-x" }),
        ("empty challenge", { $0.challenge = "" }),
      ]
      for (index, (what, spoil)) in wrong.enumerated() {
        try probe.addCode(index)
        var redemption = probe.redemption(index)
        spoil(&redemption)
        try probe.expectRefused(redemption, .mismatch, "a wrong \(what)")
        try probe.expectRefused(probe.redemption(index), .replay, "the code after a wrong \(what)")
      }
    },
    Check("redeem-late", "a code is good until its time, and not at it") { probe throws(Failure) in
      try probe.addUser()
      try probe.addCode(1)
      try probe.addCode(2)
      try probe.expectRefused(probe.redemption(1, at: 60), .expired, "at 60 of 60 seconds")
      guard case .redeemed = try probe.store.redeem(probe.redemption(2, at: 59)) else {
        return probe.report("a code is refused at 59 of 60 seconds")
      }
    },
    Check("redeem-device", "the device is the one of the request, also where none is told") { probe throws(Failure) in
      try probe.addUser()
      for (index, (asked, given, isGood)) in [
        ("d1", "d2", false), ("d1", nil, true), (nil, "d1", false), (nil, nil, true), ("d1", "d1", true),
      ].enumerated() {
        try probe.addCode(index) { $0.device = asked }
        var redemption = probe.redemption(index, family: index)
        redemption.device = given
        let outcome = try probe.store.redeem(redemption)
        switch outcome {
        case .redeemed(let family, _, _) where isGood: probe.expectEqual(family.device, asked, "the family's device")
        case .refused(.device, user: "u1", ended: nil) where !isGood: break
        default: probe.report("a code for device \(asked ?? "none") from device \(given ?? "none"): \(outcome)")
        }
      }
    },
    Check("redeem-user", "the code of a disabled user, of nobody, or of a browser session that is over is worthless") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addCode(1) { $0.user = "nobody" }
      try probe.expectRefused(probe.redemption(1), .user, of: "nobody", "nobody's code")
      for (number, expiresAt) in [(1, at(100)), (2, at(100)), (3, at(10))] {
        try probe.addSession(number, expiresAt: expiresAt)
      }
      for number in 2...4 { try probe.addCode(number) { $0.browserSession = "s\(number - 1)" } }
      try probe.store.endBrowserSessions(id: "s1", user: nil)
      try probe.expectRefused(probe.redemption(2), .user, "the code of a session that was ended")
      guard case .redeemed = try probe.store.redeem(probe.redemption(3)) else {
        return probe.report("the code of a session that goes on is refused")
      }
      try probe.expectRefused(probe.redemption(4, family: 4), .user, "the code of a session whose time is over")
      try probe.addCode(5)
      guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      try probe.expectRefused(probe.redemption(5, family: 5), .user, "a disabled user's code")
    },
    Check("consented-code", "a consent is kept with its code, in a browser session that goes on, or neither is") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addSession(1, expiresAt: at(100))
      func add(_ number: Int, session: String?, at seconds: Int64 = 5) throws(Failure) -> Bool {
        var code = probe.code(number)
        code.browserSession = session
        return try probe.another().addConsented(code, now: at(seconds))
      }
      for (session, seconds) in [("s1", 100), ("s2", 5)] as [(String, Int64)] {
        probe.expect(try !add(1, session: session, at: seconds), "a code of a session that is over was kept")
        probe.expectEqual(try probe.store.consent(user: "u1", client: "mobile"), [], "consents after that")
      }
      try probe.expectRefused(probe.redemption(1), .unknown, "the code of a session that is over")
      probe.expect(try add(2, session: "s1", at: 99), "the code of a session that goes on was not kept")
      probe.expectEqual(try probe.store.consent(user: "u1", client: "mobile"), ["a", "b"], "consents after that")
      guard case .redeemed = try probe.store.redeem(probe.redemption(2, at: 20)) else {
        return probe.report("the code of a session that goes on is refused")
      }
      probe.expectFailure(.exists, "a code that is there") { () throws(Failure) in
        var again = probe.code(2)
        again.scopes = ["c"]
        _ = try probe.store.addConsented(again, now: at(5))
      }
      probe.expectEqual(try probe.store.consent(user: "u1", client: "mobile"), ["a", "b"], "consents after that")
      try probe.store.endBrowserSessions(id: "s1", user: nil)
      probe.expect(try !add(3, session: "s1"), "the code of a session that was ended was kept")
    },
    Check("code-twice", "no hash is used twice, and redeeming into an id that is taken spends nothing") {
      probe throws(Failure) in
      try probe.begin(1)
      try probe.addCode()
      probe.expectFailure(.exists, "a code that is there") { () throws(Failure) in try probe.addCode() }
      probe.expectFailure(.exists, "an id that is taken") { () throws(Failure) in
        _ = try probe.store.redeem(probe.redemption())
      }
      guard case .redeemed = try probe.store.redeem(probe.redemption(1, family: 2)) else {
        return probe.report("the code was spent by a redemption that failed")
      }
    },
  ]

  /// Somebody is signed in in a browser.
  static let sessions: [Check] = [
    Check("browser-session", "a session is found by its cookie until it is over, ended, or its user is disabled") {
      probe throws(Failure) in
      try probe.addUser()
      try probe.addUser("u2")
      func session(_ number: Int, _ user: String) -> BrowserSession {
        BrowserSession(hash: hash(number), id: "s\(number)", user: user, authTime: at(-1), expiresAt: at(100))
      }
      for (number, user) in [(1, "u1"), (2, "u1"), (3, "u2")] {
        try probe.addSession(number, user: user, authTime: at(-1))
      }
      func find(_ number: Int, _ seconds: Int64 = 1) throws(Failure) -> BrowserSession? {
        try probe.another().browserSession(presented: [hash(9, pepper: 2), hash(number)], now: at(seconds))
      }
      probe.expectEqual(try find(1, 99), session(1, "u1"), "a session")
      probe.expect(try find(1, 100) == nil, "a session is found when its time is over")
      probe.expect(try find(4) == nil, "a session that never was is found")
      let strange = try probe.store.browserSession(presented: [hash(1, pepper: 2)], now: at(1))
      probe.expect(strange == nil, "a session is found under another pepper")
      try probe.store.endBrowserSessions(id: "s1", user: nil)
      probe.expect(try find(1) == nil, "a session is found after it was ended")
      probe.expect(try find(2) != nil, "another session of the user's is gone")
      try probe.store.endBrowserSessions(id: nil, user: "u1")
      probe.expect(try find(2) == nil, "a session is found after the user's were ended")
      guard var user = try probe.store.user(id: "u2") else { return probe.report("the user is gone") }
      probe.expect(try find(3) != nil, "another user's session is gone")
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      probe.expect(try find(3) == nil, "a disabled user's session is found")
    },
    Check("session-if", "a session begins only for who is there, not disabled, and has the password that was checked") {
      probe throws(Failure) in
      try probe.addUser("u1")
      var user = User(id: "u2", name: "u2", passwordHash: "$argon2id$x", createdAt: start)
      try probe.store.add(user)
      func add(_ number: Int, _ user: String, _ password: String?) throws(Failure) -> Bool {
        let session = BrowserSession(
          hash: hash(number), id: "s\(number)", user: user, authTime: start, expiresAt: at(100))
        let isKept = try probe.another().add(session, ifPasswordIs: password)
        let found = try probe.store.browserSession(presented: [session.hash], now: at(1))
        probe.expectEqual(found, isKept ? session : nil, "session \(number)")
        return isKept
      }
      let steps: [(Int, String, String?, Bool)] = [
        (1, "u1", nil, true), (2, "u1", "$argon2id$x", false), (3, "u2", "$argon2id$x", true), (4, "u2", nil, false),
        (5, "u2", "$argon2id$X", false), (6, "u2", "", false), (7, "u9", nil, false), (8, "u9", "$argon2id$x", false),
      ]
      for (number, user, password, isGood) in steps {
        probe.expectEqual(try add(number, user, password), isGood, "\(user) with the password \(password ?? "none")")
      }
      user.passwordHash = "$argon2id$y"
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      probe.expect(try !add(11, "u2", "$argon2id$x"), "a session began with the password of before")
      probe.expect(try add(12, "u2", "$argon2id$y"), "no session began with the new password")
      user.isDisabled = true
      _ = try probe.store.change(user, ending: nil, now: at(1), denyUntil: nil)
      probe.expect(try !add(13, "u2", "$argon2id$y"), "a disabled user's session began")
    },
    Check("end-some-sessions", "so many sessions are ended in a step, whosever, until none is left") {
      probe throws(Failure) in
      for number in 1...5 {
        try probe.addUser("u\(number)")
        try probe.addSession(number, user: "u\(number)")
      }
      func left() throws(Failure) -> Int {
        var count = 0
        for number in 1...5 {
          if try probe.another().browserSession(presented: [hash(number)], now: at(1)) != nil { count += 1 }
        }
        return count
      }
      for (ended, rest) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
        probe.expectEqual(try probe.another().endSomeBrowserSessions(limit: 2), ended, "how many were ended")
        probe.expectEqual(try left(), rest, "how many are left")
      }
    },
  ]
}
