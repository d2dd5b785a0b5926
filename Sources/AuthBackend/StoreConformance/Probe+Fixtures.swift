internal import BackendStore
internal import Basics

/// The moment that checks begin at.
let start = Timestamp(seconds: 1_800_000_000)

func at(_ seconds: Int64) -> Timestamp { start.advanced(by: seconds) }

/// A hash of its own for each number.
func hash(_ number: Int, pepper: Int64 = 1) -> KeyedHash {
  KeyedHash(pepper: pepper, bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) &+ $0) })
}

func handle(_ number: Int) -> [UInt8] { Array(hash(number).bytes.prefix(16)) }

extension Probe {
  /// Adds a user.
  func addUser(_ id: String = "u1") throws(Failure) {
    try store.add(User(id: id, name: "name-\(id)", passwordHash: nil, createdAt: start))
  }

  /// Begins a family of a user's, made on the way: its token is `hash(number * 1_000)`.
  @discardableResult
  func begin(
    _ number: Int = 1, user: String = "u1", client: String = "mobile", device: String? = "d1", lifetime: Int64 = 10_000,
    idle: Int64 = 1_000, at time: Timestamp = start
  ) throws(Failure) -> Family {
    if try store.user(id: user) == nil { try addUser(user) }
    let family = Family(
      id: "sid-\(number)", handle: handle(number), user: user, client: client, device: device, scopes: ["a", "b"],
      authTime: time.advanced(by: -5), createdAt: time, expiresAt: time.advanced(by: lifetime), idleSeconds: idle,
      current: hash(number * 1_000))
    expect(try store.begin(family), "a family of an open account was not begun")
    return family
  }

  /// An attempt to exchange token `from` of a family for token `to`.
  func rotation(_ from: Int, _ to: Int, family: Int = 1, at seconds: Int64 = 10) -> Rotation {
    var rotation = Rotation(
      handle: handle(family), presented: [hash(family * 1_000 + from)], successor: hash(family * 1_000 + to),
      client: "mobile", device: "d1", now: at(seconds))
    rotation.sealedSuccessor = [UInt8(truncatingIfNeeded: to), 0, 255]
    return rotation
  }

  /// Expects that a rotation is done, and returns the family after it.
  @discardableResult
  func expectRotated(_ rotation: Rotation, _ what: String) throws(Failure) -> Family? {
    let outcome = try store.rotate(rotation)
    guard case .rotated(let family, let user, misfit: nil) = outcome else {
      report("\(what): \(outcome) instead of rotated")
      return nil
    }
    expectEqual(user, try another().user(id: family.user), "\(what): the user")
    return family
  }

  /// Expects that a rotation is refused, and returns the family that the refusal names.
  @discardableResult
  func expectRefused(
    _ rotation: Rotation, _ refusal: RotationOutcome.Refusal, endedNow: Bool = false, _ what: String
  ) throws(Failure) -> Family? {
    let outcome = try store.rotate(rotation)
    guard case .refused(let found, let family, let ended) = outcome, found == refusal, ended == endedNow else {
      report("\(what): \(outcome) instead of \(refusal), endedNow \(endedNow)")
      return nil
    }
    return family
  }

  /// Expects that a family has ended so, or has not.
  func expectEnd(_ end: Family.End?, of number: Int = 1, _ what: String) throws(Failure) {
    let family = try another().family(id: "sid-\(number)")
    expect(family != nil, "\(what): the family is gone")
    expectEqual(family?.end, end, "\(what): the family's end")
  }

  /// Signs a user in in a browser: session `sN`, whose cookie has the hash `hash(N)`.
  func addSession(
    _ number: Int = 1, user: String = "u1", authTime: Timestamp = start, expiresAt: Timestamp = at(100)
  ) throws(Failure) {
    let session = BrowserSession(
      hash: hash(number), id: "s\(number)", user: user, authTime: authTime, expiresAt: expiresAt)
    let password = try store.user(id: user)?.passwordHash
    expect(try store.add(session, ifPasswordIs: password), "a session of an open account was not kept")
  }

  func code(_ number: Int) -> AuthorizationCode {
    AuthorizationCode(
      hash: hash(500 + number), client: "mobile", redirectURI: "app:/cb", challenge: "challenge-\(number)", user: "u1",
      device: "d1", scopes: ["a", "b"], nonce: "n", authTime: at(-7), browserSession: nil, expiresAt: at(60))
  }

  func addCode(_ number: Int = 1, _ change: (inout AuthorizationCode) -> Void = { _ in }) throws(Failure) {
    var code = code(number)
    change(&code)
    try store.add(code)
  }

  func redemption(_ number: Int = 1, family: Int = 1, at seconds: Int64 = 10) -> Redemption {
    Redemption(
      presented: [hash(500 + number)], client: "mobile", redirectURI: "app:/cb", challenge: "challenge-\(number)",
      device: "d1", handle: handle(family), id: "sid-\(family)", first: hash(family * 1_000), lifetimeSeconds: 10_000,
      idleSeconds: 1_000, now: at(seconds))
  }

  func expectRefused(
    _ redemption: Redemption, _ refusal: RedemptionOutcome.Refusal, of owner: String = "u1", ended: String? = nil,
    _ what: String
  ) throws(Failure) {
    let user = refusal == .unknown ? nil : owner
    let outcome = try store.redeem(redemption)
    guard case .refused(let found, user, let family) = outcome, found == refusal, family?.id == ended else {
      return report("\(what): \(outcome) instead of \(refusal) of \(user ?? "nobody"), ended \(ended ?? "none")")
    }
  }
}
