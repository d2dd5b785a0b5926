public import Basics
internal import HTTPClient
public import Replication
internal import SecureMemory
internal import WebSocket

/// A replicator that connects, fails, waits and gives up by LiteCore's rules, over real sockets. It replicates nothing and
/// runs by no thread of its own: ``start()`` connects at once, and ``run(milliseconds:)`` does what the clock says is due and
/// takes what the gateway has sent.
///
/// What it is configured with is frozen, as LiteCore's configuration is: for another session stop it and make a new one, on the
/// same ``LocalDatabase`` or another. On the same one each collection goes on at its checkpoint, which belongs to the remote
/// URL and the collection, and to no credential. LiteCore keeps a checkpoint at the gateway as well (`getCheckpoint`,
/// `setCheckpoint`) and begins anew where the two differ; the lab answers no message, so here it is at this side alone, and
/// ``replicated(_:through:)`` stands for the changes that would move it.
public final class ReplicatorDouble {
  /// What a replicator does just now, by LiteCore's numbers.
  public enum Level: Int, Sendable {
    /// It has ended.
    case stopped = 0
    /// It waits for its next try, or for the network to change.
    case offline = 1
    /// It connects.
    case connecting = 2
    /// It is connected and has nothing to do.
    case idle = 3
    /// It replicates.
    case busy = 4
  }

  /// Where it stands.
  public struct Status: Equatable, Sendable {
    /// What it does.
    public var level: Level
    /// What went wrong last; nil when nothing did, or it is connected again.
    public var error: ReplicatorError?
    /// When it tries again; nil when it does not by itself.
    public var retryAt: Timestamp?

    /// A status.
    public init(level: Level, error: ReplicatorError? = nil, retryAt: Timestamp? = nil) {
      self.level = level
      self.error = error
      self.retryAt = retryAt
    }
  }

  /// Where it stands.
  public private(set) var status = Status(level: .stopped)
  /// Every level it has had since it was made.
  public private(set) var levels: [Level] = []
  /// The subprotocol that was chosen last.
  public private(set) var subprotocol: String?
  /// How often it has asked the gateway for a connection.
  public private(set) var connections = 0
  /// How many pings were answered.
  public private(set) var pongs = 0
  /// After which of the gateway's sequences each collection went on when it was connected last; 0 is from the beginning.
  public private(set) var since: [String: UInt64] = [:]

  private let configuration: Configuration
  private let database: LocalDatabase
  private let clock: () -> Timestamp
  private var socket: WebSocket?
  private var failures = 0
  private var lastPing = Timestamp(seconds: 0)
  private var awaitsPong = false

  /// A replicator that has not started.
  public init(
    _ configuration: Configuration, database: LocalDatabase = LocalDatabase(),
    clock: @escaping () -> Timestamp = Timestamp.now
  ) {
    self.configuration = configuration
    self.database = database
    self.clock = clock
  }

  /// Connects. One that runs already goes on as it is. With `resetCheckpoint` its collections begin anew, which a new credential
  /// is no reason for.
  public func start(resetCheckpoint: Bool = false) throws(Failure) {
    guard status.level == .stopped else { return }
    if resetCheckpoint {
      for collection in configuration.collections {
        database.setCheckpoint(nil, of: collection, with: configuration.endpoint)
      }
    }
    failures = 0
    try connect()
  }

  /// Closes the connection as agreed and ends.
  public func stop() {
    socket?.close(.normal)
    socket = nil
    become(Status(level: .stopped))
  }

  /// Does what is due by the clock, a retry or a heartbeat, and takes what the gateway sends within so many real milliseconds;
  /// returns as soon as the level changes. A retry that is due begins at once.
  public func run(milliseconds: Int64 = 0) throws(Failure) {
    let deadline = MonotonicInstant.now().advanced(byMilliseconds: milliseconds)
    if status.level == .offline, let due = status.retryAt, due <= clock() { return try connect() }
    if socket != nil { beat() }
    while let socket {
      let event: WebSocket.Event?
      do throws(WebSocketFault) { event = try socket.receive(until: deadline) } catch {
        return lose(ReplicatorError(.webSocket, Int(error.code.rawValue), error.message))
      }
      switch event {
      case nil: return
      case .message?: continue
      case .pong?: (awaitsPong, pongs) = (false, pongs + 1)
      case .closed(let code, let reason)?:
        return lose(ReplicatorError(closed: code, reason: reason))
      }
    }
  }

  /// Takes a collection's changes for replicated up to one of the gateway's sequences, and keeps its checkpoint. False when it
  /// is not connected, or the collection is none of its own: then nothing can have come.
  @discardableResult
  public func replicated(_ collection: String, through sequence: UInt64) -> Bool {
    guard status.level == .idle, configuration.collections.contains(collection) else { return false }
    database.setCheckpoint(sequence, of: collection, with: configuration.endpoint)
    return true
  }

  /// The system says that the network has changed: one that is offline tries again at once.
  public func networkChanged() throws(Failure) {
    guard status.level == .offline else { return }
    failures = 0
    try connect()
  }

  private func beat() {
    let now = clock()
    if awaitsPong, now >= lastPing.advanced(by: Int64(ReplicatorDouble.pongTimeout)) {
      socket?.close(.goingAway)
      return lose(ReplicatorError(.network, 3, "the gateway does not answer the heartbeat"))
    }
    guard !awaitsPong, now >= lastPing.advanced(by: Int64(configuration.heartbeat)) else { return }
    (awaitsPong, lastPing) = (true, now)
    socket?.ping()
  }

  /// How many seconds the gateway has to answer a heartbeat.
  public static let pongTimeout = 10

  private func connect() throws(Failure) {
    become(Status(level: .connecting, error: status.error))
    connections += 1
    let endpoint = configuration.endpoint
    let answer: ReplicationSocket
    do throws(HTTPFailure) {
      answer = try ReplicationSocket.open(
        endpoint, fields: try fields(), client: configuration.client, protocols: configuration.subprotocols)
    } catch {
      become(Status(level: .stopped))
      throw error.failure
    }
    database.keep(answer.cookies, from: endpoint.gateway.host, now: clock())
    subprotocol = answer.subprotocol
    guard let opened = answer.socket else { return lose(answer.error) }
    (socket, failures, awaitsPong, lastPing) = (opened, 0, false, clock())
    since = [:]
    for collection in configuration.collections {
      since[collection] = database.checkpoint(of: collection, with: endpoint)
    }
    become(Status(level: .busy))
    become(Status(level: .idle))
    // With nothing to replicate a one-shot replicator is done.
    if !configuration.isContinuous { stop() }
  }

  private func lose(_ error: ReplicatorError?) {
    socket = nil
    guard let error else { return become(Status(level: .stopped)) }
    switch error.disposition {
    case .transient where configuration.isContinuous || failures < ReplicatorRules.oneShotRetries:
      failures += 1
      let wait = Int64(ReplicatorRules.delay(afterFailures: failures))
      become(Status(level: .offline, error: error, retryAt: clock().advanced(by: wait)))
    case .networkDependent where configuration.isContinuous:
      become(Status(level: .offline, error: error))
    case .transient, .networkDependent, .permanent: become(Status(level: .stopped, error: error))
    }
  }

  private func become(_ new: Status) {
    if new.level != status.level || levels.isEmpty { levels.append(new.level) }
    status = new
  }

  private func fields() throws(HTTPFailure) -> [HTTPRequest.Field] {
    do throws(Failure) {
      return try configuration.fields(stored: database.cookies(for: configuration.endpoint, now: clock()))
    } catch { throw HTTPFailure(.request, error.message) }
  }
}
