internal import Basics
internal import HTTPServer
internal import WebSocket

/// One open replication.
public struct OpenReplication: Sendable, Equatable {
  /// Whose it is; empty for the guest.
  public let user: String
  /// `cbl2` for an app, `sgr2` for another gateway, as the query's `client` says.
  public let client: String
  /// The subprotocol that both sides speak.
  public let subprotocol: String
  /// What the answer called it.
  public let correlationID: String

  /// For the control port.
  var json: JSONValue {
    [
      "user": user.isEmpty ? .null : .string(user), "client": .string(client), "subprotocol": .string(subprotocol),
      "correlationId": .string(correlationID),
    ]
  }
}

/// What becomes of a replication's WebSocket once it is open.
struct SocketFate: Sendable {
  /// The code of the closing frame to send, and whether to cut the connection instead.
  enum End: Sendable {
    case close(CloseCode), cut
  }
  /// How it ends, if the lab is to end it, and after how many milliseconds.
  var end: (how: End, after: Int)?
  /// Whether pings are answered.
  var answersPings = true
}

/// The open replications of a gateway. It speaks no BLIP on them: messages are taken and dropped, pings are answered.
final class Replications: Sendable {
  private struct Entry {
    let replication: OpenReplication
    let connection: UpgradedConnection
    var order: SocketFate.End?
  }
  private struct State {
    var next = 0
    var places = 0
    var open: [Int: Entry] = [:]
  }

  /// A place under the limit; it is free again when nobody holds this any more, whether the connection came about or not.
  final class Place: Sendable {
    private let owner: Replications

    fileprivate init(_ owner: Replications) { self.owner = owner }
    deinit { owner.state.withLock { $0.places -= 1 } }
  }

  private let state = Monitor(State())
  private static let messageLimit = 16 << 20

  /// A place; nil when `limit` are taken. 0 is no limit.
  func reserve(limit: Int) -> Place? {
    let isFree = state.withLock(wake: .nobody) { state in
      guard limit == 0 || state.places < limit else { return false }
      state.places += 1
      return true
    }
    return isFree ? Place(self) : nil
  }

  /// Those that are open, the eldest first.
  var open: [OpenReplication] {
    state.withLock(wake: .nobody) { $0.open.sorted { $0.key < $1.key }.map(\.value.replication) }
  }

  /// Waits until so many are open; false when that is not so within the seconds.
  func wait(count: Int, seconds: Double) -> Bool {
    state.wait(until: .now().advanced(bySeconds: seconds)) { $0.open.count == count ? true : nil } ?? false
  }

  /// Has every open one closed with a code.
  func close(_ code: CloseCode) { end(.close(code)) }

  /// Has the connection of every open one cut.
  func cut() { end(.cut) }

  private func end(_ how: SocketFate.End) {
    let connections = state.withLock(wake: .nobody) { state in
      for id in state.open.keys { state.open[id]?.order = how }
      return state.open.values.map(\.connection)
    }
    for connection in connections { connection.wake() }
  }

  /// Keeps a replication open until either side ends it.
  func run(_ replication: OpenReplication, in place: Place, on connection: UpgradedConnection, _ fate: SocketFate) {
    let id = state.withLock { state in
      state.next += 1
      state.open[state.next] = Entry(replication: replication, connection: connection)
      return state.next
    }
    defer { state.withLock { $0.open[id] = nil } }
    withExtendedLifetime(place) { serve(id, connection, fate) }
  }

  private func serve(_ id: Int, _ connection: UpgradedConnection, _ fate: SocketFate) {
    let socket = WebSocket(UpgradedStream(connection), role: .server, limit: Replications.messageLimit)
    socket.answersPings = fate.answersPings
    let due = fate.end.map { MonotonicInstant.now().advanced(byMilliseconds: Int64($0.after)) }
    // After our closing frame, how long the other side may take for its own.
    var patience: MonotonicInstant?
    while true {
      if !socket.hasClosed {
        var order = state.withLock(wake: .nobody) { $0.open[id]?.order }
        if order == nil, let end = fate.end, let due, due <= .now() { order = end.how }
        switch order {
        case nil: break
        case .cut?: return
        case .close(let code)?:
          socket.close(code)
          patience = .now().advanced(bySeconds: 2)
        }
      }
      if let patience, patience <= .now() { return }
      let deadline = patience ?? due ?? .now().advanced(bySeconds: 3_600)
      do throws(WebSocketFault) {
        if case .closed? = try socket.receive(until: deadline) { return }
      } catch { return }
    }
  }
}

/// A connection of the HTTP server's under a WebSocket.
final class UpgradedStream: WebSocketStream {
  private let connection: UpgradedConnection

  init(_ connection: UpgradedConnection) { self.connection = connection }

  func read(until deadline: MonotonicInstant) -> [UInt8]? { connection.read(until: deadline) }
  func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool {
    connection.write(bytes, until: deadline)
  }
}
