public import Basics
public import HTTPServer
public import SecureMemory
internal import Synchronization
public import WebSocket

/// A double of Couchbase Sync Gateway's public port: its `_session` routes to the byte of the bodies, protected routes that
/// tell whether a session is alive, and faults on demand. Modelled on the source of Sync Gateway 4.1; what it does not
/// have is told in docs/LAB.md.
///
/// It answers requests and knows nothing of sockets; ``Lab`` puts it on a port.
public final class Gateway: Sendable {
  let state: Mutex<GatewayState>
  let clock: @Sendable () -> Timestamp
  let digestKey = randomBytes(32)
  /// The gateway's dealings with the identity provider; nil when there is none.
  let relyingParty = Mutex<RelyingParty?>(nil)

  let replications = Replications()

  /// A gateway without users. `clock` decides when sessions expire.
  public init(_ scenario: Scenario = Scenario(), clock: @escaping @Sendable () -> Timestamp = Timestamp.now) {
    state = Mutex(GatewayState(scenario))
    self.clock = clock
  }

  /// How it is configured and what goes wrong. Setting it begins the counts of faults anew; users and sessions stay.
  public var scenario: Scenario {
    get { state.withLock { $0.scenario } }
    set {
      state.withLock { state in
        state.scenario = newValue
        state.seen = newValue.faults.map { _ in 0 }
      }
    }
  }

  /// Changes how it is configured and what goes wrong. Faults that stay go on counting.
  func change(to options: GatewayOptions, _ faults: [Fault]) {
    state.withLock { state in
      state.seen = carriedOver(state.seen, of: state.scenario.faults, to: faults)
      (state.scenario.options, state.scenario.faults) = (options, faults)
    }
  }

  /// The names of the users, sorted.
  public var users: [String] { state.withLock { $0.users.keys.sorted() } }

  /// Adds a user, or replaces one and so ends their sessions. Every user has the channel `!` and these.
  /// Throws ``FailureCode/usage`` when the name is none, ``FailureCode/inputOutput`` when memory runs out.
  public func addUser(_ name: String, password: borrowing SecureBytes, channels: [String] = []) throws(Failure) {
    let isNameable = name.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0 != ":" && $0 != "/" && $0 != "," && $0 != "`"
    }
    guard !name.isEmpty, name.utf8.count <= 240, isNameable else {
      throw Failure(
        .usage, "'\(OutsideText.clean(name, limit: 80))' is not a user name",
        hint: "use 1 to 240 characters without colon, comma, slash and backtick")
    }
    let hash = try PasswordHash(password)
    let user = GatewayState.User(hash: hash, sessionUUID: Hexadecimal.encode(randomBytes(16)), channels: channels)
    state.withLock { $0.users[name] = user }
  }

  /// Gives a user another password, which ends their sessions ("Session no longer valid for user").
  /// Throws ``FailureCode/notFound`` when there is no such user.
  public func changePassword(of name: String, to password: borrowing SecureBytes) throws(Failure) {
    let hash = try PasswordHash(password)
    let isThere = state.withLock { state in
      state.users[name]?.hash = hash
      state.users[name]?.known = []
      state.users[name]?.sessionUUID = Hexadecimal.encode(randomBytes(16))
      return state.users[name] != nil
    }
    guard isThere else { throw Failure(.notFound, "there is no user '\(OutsideText.clean(name, limit: 80))'") }
  }

  /// Disables a user's account, or enables it again. As with the real gateway, their sessions stay alive.
  public func setDisabled(_ isDisabled: Bool, user name: String) {
    state.withLock { $0.users[name]?.isDisabled = isDisabled }
  }

  /// Ends every session as if its time had come ("Session Invalid").
  public func expireSessions() { state.withLock { $0.sessions = [:] } }

  /// How many sessions there are whose time has not come.
  public var sessionCount: Int {
    let now = clock()
    return state.withLock { $0.sessions.values.lazy.filter { now < $0.expires }.count }
  }

  /// The replications that are open, the eldest first.
  public var openReplications: [OpenReplication] { replications.open }

  /// Waits until so many replications are open; false when that is not so within the seconds.
  public func waitForReplications(_ count: Int, seconds: Double = 10) -> Bool {
    replications.wait(count: count, seconds: seconds)
  }

  /// Has every open replication closed, e.g. with 1001 as a gateway does that is going down.
  public func closeReplications(_ code: CloseCode = .goingAway) { replications.close(code) }

  /// Has the connection of every open replication cut without a closing frame.
  public func cutReplications() { replications.cut() }

  /// Puts a document, JSON on one line, where `GET /DB/ID` finds it.
  public func setDocument(_ id: String, json: String) { state.withLock { $0.documents[id] = json } }

  /// Takes the ID tokens of an identity provider that is not the lab's, over HTTP, from now on.
  public func trust(issuer: String, clientID: String) {
    relyingParty.withLock { $0 = RelyingParty(issuer: issuer, clientID: clientID) }
  }

  /// Answers a request, wrongly if a fault applies to it.
  public func respond(to request: ServerRequest) -> ServerResponse {
    let operation = Operation(method: request.method, segments: request.target.segments)
    guard let fault = state.withLock({ $0.nextFault(for: operation) }) else { return answer(request) }
    return respond(to: request, fault)
  }

  /// The right answer.
  func answer(
    _ request: ServerRequest, isOffline: Bool = false, fate: SocketFate = SocketFate()
  ) -> ServerResponse {
    let options = state.withLock { $0.scenario.options }
    let party = options.openID.isOn ? relyingParty.withLock { $0 } : nil
    var call = GatewayCall(
      gateway: self, request: request, options: options, isOffline: isOffline, now: clock(), relyingParty: party,
      fate: fate)
    return call.run()
  }

  /// Whether a password is a user's. False for a disabled account, whatever the password is.
  func verify(_ name: String, _ password: SecureBox) -> Bool {
    let digest = SecretDigest(password.bytes, key: digestKey)
    guard let user = state.withLock({ $0.isDisabled(name) ? nil : $0.users[name] }) else { return false }
    if user.known.contains(digest) { return true }
    guard user.hash.matches(password.bytes) else { return false }
    state.withLock { state in
      // The password may have been changed meanwhile.
      if state.users[name]?.hash == user.hash { state.users[name]?.known.insert(digest) }
    }
    return true
  }
}
