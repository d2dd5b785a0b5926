public import Basics
internal import Glibc
public import HTTPClient
internal import Replication
internal import SecureMemory
internal import WebSocket

/// Asks the gateway for a replication once, as a replicator would, and says what a replicator would do about the answer.
public struct ReplicatorCheck {
  /// How many milliseconds the gateway has to answer a ping on the open WebSocket.
  private static let pingTime: Int64 = 2_000

  private let configuration: ReplicatorConfiguration
  private let client: HTTPClient
  private let clock: () -> Timestamp
  /// How many milliseconds after a 401 a bearer token that is good by its time is presented once more.
  let secondThought: Int64

  /// A check of a configuration; trust and limits are the client's. `secondThought` is how many milliseconds after a 401 a
  /// bearer token that is good by its time is presented once more.
  public init(
    _ configuration: ReplicatorConfiguration, client: HTTPClient = HTTPClient(), secondThought: Int64 = 2_000,
    clock: @escaping () -> Timestamp = Timestamp.now
  ) {
    self.configuration = configuration
    self.client = client
    self.secondThought = secondThought
    self.clock = clock
  }

  /// Asks. Nil when there is no server to ask (strategy `demo`). Throws ``FailureCode/cancelled``.
  ///
  /// A gateway answers 401 to a good bearer token too, when it cannot reach the provider just then: such a token is presented
  /// once more.
  public func run(cancellation: [Int32] = []) throws(Failure) -> ReplicatorCheckReport? {
    let first = try ask(cancellation)
    guard first?.code == 10_401, mayBeTaken else { return first }
    try pause(cancellation)
    var second = try ask(cancellation)
    let isTaken = second?.code == nil
    second?.note(ReplicatorCheckReport.secondThought(isTaken: isTaken, milliseconds: secondThought))
    return second
  }

  /// Presents the credential again after a 401: whether it is taken now.
  func isTakenNow(cancellation: [Int32] = []) throws(Failure) -> Bool {
    guard mayBeTaken else { return false }
    try pause(cancellation)
    return try ask(cancellation)?.code == nil
  }

  // Whether a 401 may be the provider's trouble: the token is good by its time.
  private var mayBeTaken: Bool {
    guard case .bearer = configuration.credential, let end = configuration.credentialExpiresAt else { return false }
    return clock() < end
  }

  private func pause(_ cancellation: [Int32]) throws(Failure) {
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: secondThought)
    var entries = cancellation.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while deadline.millisecondsLeft > 0 {
      let ready = unsafe poll(&entries, nfds_t(entries.count), deadline.millisecondsLeft)
      if ready > 0 { throw Failure(.cancelled, "cancelled") }
    }
  }

  private func ask(_ cancellation: [Int32]) throws(Failure) -> ReplicatorCheckReport? {
    guard let endpoint = configuration.endpoint, let (fields, cookieName) = try credentialFields() else { return nil }
    let answer: ReplicationSocket
    do throws(HTTPFailure) {
      answer = try ReplicationSocket.open(endpoint, fields: fields, client: client, cancellation: cancellation)
    } catch { throw error.failure }
    // Whoever answers has read the request, and may quote it.
    let mask = try credentialMask()
    var error = answer.error
    var warnings: [String] = []
    if let socket = answer.socket {
      let (isThere, closing) = listen(socket)
      error = closing
      if !isThere, closing == nil {
        warnings.append("the gateway did not answer a ping within \(ReplicatorCheck.pingTime / 1_000) s")
      }
    }
    if let cookie = answer.cookies.first(where: { $0.name == cookieName && $0.expires != nil }) {
      warnings.append(ReplicatorCheckReport.staleCookie(cookie))
    }
    return ReplicatorCheckReport(
      url: endpoint.url, presents: cookieName == nil ? "bearer" : "session", status: answer.status,
      subprotocol: answer.subprotocol, correlationID: answer.correlationID.map(mask.masked),
      error: error.map { ReplicatorError($0.domain, $0.code, mask.masked($0.message)) }, warnings: warnings)
  }

  private func credentialMask() throws(Failure) -> SecretMask {
    var mask = try SecretMask()
    switch configuration.credential {
    case .none: break
    case .session(let secret, _), .bearer(let secret): mask.add(secret)
    }
    return mask
  }

  // What is presented, and the name of its cookie if it is one; nil for nothing.
  private func credentialFields() throws(Failure) -> (fields: [HTTPRequest.Field], cookieName: String?)? {
    let line = try SecureBuffer(limit: 128 << 10)
    switch configuration.credential {
    case .none: return nil
    case .session(let id, let name):
      try line.append(publicText: "\(name)=")
      try line.append(id.bytes)
      return ([HTTPRequest.Field("Cookie", secret: SecureBox(try line.contents()))], name)
    case .bearer(let token):
      try line.append(publicText: "Bearer ")
      try line.append(token.bytes)
      return ([HTTPRequest.Field("Authorization", secret: SecureBox(try line.contents()))], nil)
    }
  }

  // Some gateways and proxies open a WebSocket only to close it: whoever is there answers a ping.
  private func listen(_ socket: WebSocket) -> (isThere: Bool, error: ReplicatorError?) {
    socket.ping()
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: ReplicatorCheck.pingTime)
    while true {
      do throws(WebSocketFault) {
        switch try socket.receive(until: deadline) {
        case .message? where MonotonicInstant.now() < deadline: continue
        case nil, .message?:
          socket.close(.normal)
          return (false, nil)
        case .pong?:
          socket.close(.normal)
          // The gateway's own closing frame, if it comes soon, so that it does not see a broken connection.
          _ = try socket.receive(until: .now().advanced(bySeconds: 1))
          return (true, nil)
        case .closed(let code, let reason)?:
          return (
            true,
            ReplicatorError(closed: code, reason: OutsideText.clean(reason))
              ?? ReplicatorError(.webSocket, 1_000, "the gateway closed the WebSocket at once")
          )
        }
      } catch { return (true, ReplicatorError(.webSocket, Int(error.code.rawValue), error.message)) }
    }
  }
}
