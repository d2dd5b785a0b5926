internal import BackendStore
internal import Basics

/// The ways in which a family begins.
enum SignInWay: String, CaseIterable, Sendable {
  case code, deviceCode, once
}

/// A sign-in that brings a finding.
struct SignIn: Sendable {
  var number: Int
  var way: SignInWay
  var user = "u1"
  var device: String? = "d1"
  var name: String?
  var platform: String?
  var finding: DeviceFinding?
  var now = at(10)
  var admission: Admission?
  var audit: AuditEntry?
}

func finding(
  _ evidence: DeviceFinding.Evidence, _ verdict: String = "good", at time: Timestamp = at(10), required: Bool = true
) -> DeviceFinding {
  DeviceFinding(evidence, verdict: Device.Verdict(verdict, at: time), isRequired: required)
}

func key(_ number: UInt8, counter: Int64 = 0) -> DeviceKey {
  DeviceKey(id: [number, 0, 255], publicKey: [4, number], counter: counter)
}

extension Probe {
  /// Grants what the sign-in is begun with.
  func grant(_ signIn: SignIn) throws(Failure) {
    if try store.user(id: signIn.user) == nil { try addUser(signIn.user) }
    switch signIn.way {
    case .code: try addCode(signIn.number) { ($0.user, $0.device) = (signIn.user, signIn.device) }
    case .deviceCode:
      try store.add(
        DeviceAuthorization(
          hash: hash(700 + signIn.number), userCode: "CODE\(signIn.number)", client: "mobile", device: signIn.device,
          scopes: ["a"], createdAt: start, expiresAt: at(600), intervalSeconds: 0))
      _ = try store.decide(
        userCode: "CODE\(signIn.number)", .approve(user: signIn.user, authTime: start), now: start)
    case .once: break
    }
  }

  /// Begins the sign-in with what was granted; what became of it, in the words of the one way.
  func begin(_ signIn: SignIn, in store: any AuthStore) throws(Failure) -> BeginOutcome? {
    let number = signIn.number, first = hash(number * 1_000)
    let description = DeviceDescription(name: signIn.name, platform: signIn.platform, finding: signIn.finding)
    let told = signIn.audit.map { [$0] } ?? []
    switch signIn.way {
    case .code:
      var redemption = redemption(number, family: number)
      (redemption.device, redemption.now, redemption.admission) = (signIn.device, signIn.now, signIn.admission)
      (redemption.description, redemption.audit) = (description, { _ in told })
      switch try store.redeem(redemption) {
      case .redeemed(_, _, let misfit): return .begun(misfit: misfit)
      case .unattested(let misfit, let code):
        expectEqual(code.user, signIn.user, "whose code it was")
        return .unattested(misfit)
      case .held(let seconds): return .held(seconds: seconds)
      case .refused(.replay, _, _): return .replay
      case .refused(let refusal, _, _): report("a code: \(refusal)")
      }
    case .deviceCode:
      var poll = DevicePoll(
        presented: [hash(700 + number)], client: "mobile", device: signIn.device, handle: handle(number),
        id: "sid-\(number)", first: first, lifetimeSeconds: 10_000, idleSeconds: 1_000, now: signIn.now)
      (poll.description, poll.admission, poll.audit) = (description, signIn.admission, { _ in told })
      switch try store.poll(poll) {
      case .granted(_, _, let misfit): return .begun(misfit: misfit)
      case .unattested(let misfit, let code):
        expectEqual(code.user, signIn.user, "whose device code it was")
        return .unattested(misfit)
      case .held(let seconds): return .held(seconds: seconds)
      case .unknown: return .replay
      case let other: report("a device code: \(other)")
      }
    case .once:
      let family = Family(
        id: "sid-\(number)", handle: handle(number), user: signIn.user, client: "mobile", device: signIn.device,
        scopes: [], authTime: start, createdAt: signIn.now, expiresAt: at(10_000), idleSeconds: 1_000, current: first)
      return try store.begin(
        family, on: description, spending: SpentOnce(digest: hash(number).bytes, until: at(9_999)),
        admission: signIn.admission, audit: { _ in told })
    }
    return nil
  }

  /// Grants and begins a sign-in, sees that there is a family if it has begun and none if not, and that it cannot be begun again.
  func expect(_ outcome: BeginOutcome, of signIn: SignIn, _ what: String) throws(Failure) {
    try grant(signIn)
    expectEqual(try begin(signIn, in: another()), outcome, what)
    let isBegun = if case .begun = outcome { true } else { false }
    expectEqual(try store.family(id: "sid-\(signIn.number)") != nil, isBegun, "\(what): whether there is a family")
    var again = signIn
    again.finding = nil
    expectEqual(try begin(again, in: store), .replay, "\(what): the same again")
  }

  func expectDevice(
    _ id: String = "d1", of user: String = "u1", key: DeviceKey?, _ verdict: String?, _ what: String
  ) throws(Failure) {
    guard let device = try another().device(user: user, id: id) else { return report("\(what): there is no device") }
    expectEqual(device.key, key, "\(what): the key")
    expectEqual(device.verdict?.text, verdict, "\(what): the verdict")
  }
}
