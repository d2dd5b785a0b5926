internal import BackendStore
internal import Basics

extension Check {
  /// What was granted and not redeemed yet ends with the sign-ins that it would have become.
  static let unredeemed: [Check] = [
    Check("unredeemed-user", "what ends a user's sign-ins takes codes and approvals with it that were not redeemed") {
      probe throws(Failure) in
      let ways: [(String, @Sendable () throws(Failure) -> Void)] = [
        (
          "ending the user's",
          { () throws(Failure) in
            _ = try probe.another().end(.user("u1"), .logout, now: at(9), denyUntil: nil)
          }
        ),
        (
          "a new password",
          { () throws(Failure) in
            guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
            user.passwordHash = "$argon2id$y"
            _ = try probe.another().change(user, ending: .password, now: at(9), denyUntil: nil)
          }
        ),
        (
          "shutting the account",
          { () throws(Failure) in
            guard var user = try probe.store.user(id: "u1") else { return probe.report("the user is gone") }
            let open = user
            user.isDisabled = true
            _ = try probe.another().change(user, ifWas: open, ending: .disabled, now: at(9), denyUntil: nil)
            _ = try probe.another().change(open, ending: nil, now: at(9), denyUntil: nil)
          }
        ),
      ]
      for user in ["u1", "u2"] { try probe.addUser(user) }
      for (index, (what, end)) in ways.enumerated() {
        let first = index * 10
        try probe.grant(first, user: "u1", device: "d1")
        try probe.grant(first + 1, user: "u1", device: nil)
        try probe.grant(first + 2, user: "u2", device: "d1")
        try end()
        try probe.expectGone([first, first + 1], after: what)
        try probe.expectGood([first + 2], after: what)
      }
    },
    Check("unredeemed-device", "what ends a device's sign-ins takes with it what was granted for that device") {
      probe throws(Failure) in
      for user in ["u1", "u2"] { try probe.addUser(user) }
      let ways: [(String, @Sendable () throws(Failure) -> Void)] = [
        (
          "ending the device's",
          { () throws(Failure) in
            _ = try probe.another().end(.device(user: "u1", device: "d1"), .device, now: at(9), denyUntil: nil)
          }
        ),
        (
          "removing the device",
          { () throws(Failure) in
            try probe.begin(90)
            _ = try probe.another().removeDevice(user: "u1", id: "d1", now: at(9), denyUntil: nil)
          }
        ),
      ]
      for (index, (what, end)) in ways.enumerated() {
        let first = index * 10
        for (number, user, device) in [(0, "u1", "d1"), (1, "u1", "d2"), (2, "u1", nil), (3, "u2", "d1")] {
          try probe.grant(first + number, user: user, device: device)
        }
        try end()
        try probe.expectGone([first], after: what)
        try probe.expectGood([first + 1, first + 2, first + 3], after: what)
      }
    },
    Check("unredeemed-many", "what ends a client's sign-ins, or all, takes with it what was granted there") {
      probe throws(Failure) in
      for user in ["u1", "u2"] { try probe.addUser(user) }
      try probe.grant(1, user: "u1", device: nil, client: "mobile")
      try probe.grant(2, user: "u1", device: "d1", client: "other")
      try probe.grant(3, user: "u2", device: nil, client: "mobile")
      probe.expectEqual(
        try probe.store.endAll(.client("mobile"), .administrator, now: at(9), denyUntil: nil), 0, "how many had begun")
      try probe.expectGone([1, 3], client: "mobile", after: "ending a client's")
      try probe.expectGood([2], client: "other", after: "ending a client's")
      for (number, client) in [(4, "mobile"), (5, "other")] {
        try probe.grant(number, user: "u2", device: nil, client: client)
      }
      _ = try probe.another().endAll(.all, .administrator, now: at(9), denyUntil: nil)
      try probe.expectGone([4], client: "mobile", after: "ending all")
      try probe.expectGone([5], client: "other", after: "ending all")
    },
    Check("unredeemed-spent", "a code that was redeemed is still seen when it comes again after its sign-in was ended")
    {
      probe throws(Failure) in
      try probe.addUser()
      try probe.grant(1, user: "u1", device: "d1")
      try probe.grant(2, user: "u1", device: "d1")
      try probe.expectGood([1], after: "nothing")
      _ = try probe.store.end(.user("u1"), .logout, now: at(11), denyUntil: nil)
      try probe.expectRefused(probe.redemption(1, family: 9), .replay, "the code again")
    },
    Check("approve-session", "nobody approves a device in a browser's session that is over") { probe throws(Failure) in
      try probe.addUser()
      for (number, expiresAt) in [(1, at(100)), (2, at(100)), (3, at(5))] {
        try probe.addSession(number, expiresAt: expiresAt)
        try probe.addDeviceCode(number, device: nil, client: "mobile")
      }
      try probe.store.endBrowserSessions(id: "s1", user: nil)
      func approve(_ number: Int, _ session: String) throws(Failure) -> DeviceAuthorization? {
        let yes = DeviceDecision.approve(user: "u1", authTime: start, session: session)
        return try probe.another().decide(userCode: "CODE\(number)", yes, now: at(6))
      }
      for (number, session) in [(1, "s1"), (3, "s3"), (2, "s9")] {
        probe.expect(try approve(number, session) == nil, "it was approved in session \(session)")
      }
      probe.expectEqual(try approve(2, "s2")?.state, .approved, "what was decided in a session that goes on")
    },
  ]
}

extension Probe {
  fileprivate func addDeviceCode(_ number: Int, device: String?, client: String) throws(Failure) {
    try store.add(
      DeviceAuthorization(
        hash: hash(700 + number), userCode: "CODE\(number)", client: client, device: device, scopes: ["a"],
        createdAt: start, expiresAt: at(600), intervalSeconds: 0))
  }

  /// Grants a user a code and approves a device code.
  fileprivate func grant(
    _ number: Int, user: String, device: String?, client: String = "mobile"
  ) throws(Failure) {
    try addCode(number) { ($0.user, $0.device, $0.client) = (user, device, client) }
    try addDeviceCode(number, device: device, client: client)
    _ = try store.decide(userCode: "CODE\(number)", .approve(user: user, authTime: start), now: at(1))
  }

  /// What becomes of what was granted when it is redeemed.
  private func outcomes(_ number: Int, _ client: String) throws(Failure) -> (RedemptionOutcome, PollOutcome) {
    var redemption = redemption(number, family: 100 + number)
    (redemption.client, redemption.device) = (client, nil)
    let redeemed = try store.redeem(redemption)
    var device: String?
    if case .redeemed(let family, _, _) = redeemed { device = family.device }
    func poll(_ device: String?) throws(Failure) -> PollOutcome {
      try store.poll(
        DevicePoll(
          presented: [hash(700 + number)], client: client, device: device, handle: handle(200 + number),
          id: "sid-\(200 + number)", first: hash((200 + number) * 1_000), lifetimeSeconds: 100, idleSeconds: 100,
          now: at(10)))
    }
    var polled = try poll(device)
    if polled == .device { polled = try poll("d1") }
    return (redeemed, polled)
  }

  fileprivate func expectGone(_ numbers: [Int], client: String = "mobile", after what: String) throws(Failure) {
    for number in numbers {
      let (redeemed, polled) = try outcomes(number, client)
      expectEqual(redeemed, .refused(.unknown, user: nil, ended: nil), "code \(number) after \(what)")
      expectEqual(polled, .denied, "device code \(number) after \(what)")
    }
  }

  fileprivate func expectGood(_ numbers: [Int], client: String = "mobile", after what: String) throws(Failure) {
    for number in numbers {
      let (redeemed, polled) = try outcomes(number, client)
      if case .redeemed = redeemed {} else { report("code \(number) after \(what): \(redeemed)") }
      if case .granted = polled {} else { report("device code \(number) after \(what): \(polled)") }
    }
  }
}
