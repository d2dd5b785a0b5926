public import Basics
internal import CLinux
internal import Glibc

/// A connection that has gone over to another protocol. One thread reads and writes; any may wake it or shut it down. When
/// its handler has returned, whoever still has it reads the end and can send nothing.
public final class UpgradedConnection: Sendable {
  /// The numeric address of the client.
  public let peer: String

  private struct State {
    /// What the client sent along with its request and nobody has read yet.
    var early: [UInt8]
    /// Whether the descriptor is still ours. It is used under the lock alone: there it cannot have become another connection's.
    var isOpen = true
    var isToBeReset = false
  }

  private let socket: Int32
  /// An event counter; this value's own.
  private let bell: Int32
  private let state: Monitor<State>

  /// Throws ``FailureCode/inputOutput`` when the system has no more descriptors.
  init(socket: Int32, early: [UInt8], peer: String) throws(Failure) {
    let bell = clinux_eventfd()
    guard bell >= 0 else { throw .system("make an event counter") }
    self.bell = bell
    self.socket = socket
    state = Monitor(State(early: early))
    self.peer = peer
  }

  deinit { close(bell) }

  /// Waits for bytes and gives what came: nothing at the end, nil when the deadline passed or ``wake()`` was called.
  public func read(until deadline: MonotonicInstant) -> [UInt8]? {
    let first = state.withLock(wake: .nobody) { state in
      defer { state.early = [] }
      return state.early
    }
    if !first.isEmpty { return first }
    while true {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let got = whileOpen { unsafe recv($0, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
      if got >= 0 { return Array(buffer.prefix(got)) }
      guard isPassing(clinux_errno()) else { return [] }
      guard wait(for: Int16(POLLIN), until: deadline, hears: true) else { return nil }
    }
  }

  /// Sends all bytes; false when the client has gone or does not take them by the deadline.
  public func write(_ bytes: [UInt8], until deadline: MonotonicInstant) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes { bytes in
        whileOpen { unsafe send($0, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
      }
      if sent > 0 {
        rest = rest.dropFirst(sent)
      } else if sent == 0 || !isPassing(clinux_errno()) || !wait(for: Int16(POLLOUT), until: deadline, hears: false) {
        return false
      }
    }
    return true
  }

  /// Has the wait that is under way, or the next one, end at once.
  public func wake() {
    var one: UInt64 = 1
    _ = unsafe Glibc.write(bell, &one, 8)
  }

  /// Ends both directions: the reader sees the end.
  public func shutDown() { _ = whileOpen { Int(shutdown($0, Int32(SHUT_RDWR))) } }

  /// Says that nothing more is sent, and reads and forgets what still comes for at most a second. Closed at once, a connection
  /// with unread bytes would be reset, and what was sent last would be lost on its way.
  func linger() {
    _ = whileOpen { Int(shutdown($0, Int32(SHUT_WR))) }
    let deadline = MonotonicInstant.now().advanced(bySeconds: 1)
    while deadline.millisecondsLeft > 0 {
      if let bytes = read(until: deadline), bytes.isEmpty { return }
    }
  }

  /// Has the connection reset when the handler returns: what the kernel holds for the client is dropped.
  public func reset() {
    state.withLock(wake: .nobody) { state in
      if state.isOpen { dropOnClose(socket) }
      state.isToBeReset = true
    }
  }

  /// Whether ``reset()`` was called.
  var isToBeReset: Bool { state.withLock(wake: .nobody) { $0.isToBeReset } }

  /// From now on the descriptor is somebody else's.
  func forget() {
    state.withLock(wake: .nobody) { $0.isOpen = false }
    wake()
  }

  // 0 when the descriptor is ours no more.
  private func whileOpen(_ body: (Int32) -> Int) -> Int {
    state.withLock(wake: .nobody) { $0.isOpen ? body(socket) : 0 }
  }

  private func isPassing(_ error: Int32) -> Bool { error == EAGAIN || error == EWOULDBLOCK || error == EINTR }

  // Whether it is worth trying again.
  private func wait(for events: Int16, until deadline: MonotonicInstant, hears: Bool) -> Bool {
    var entries = [
      pollfd(fd: socket, events: events, revents: 0), pollfd(fd: hears ? bell : -1, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let left = deadline.millisecondsLeft
      let ready = unsafe poll(&entries, 2, left)
      if ready < 0, clinux_errno() == EINTR { continue }
      guard ready > 0 else { return false }
      if entries[1].revents != 0 {
        var count: UInt64 = 0
        _ = unsafe Glibc.read(bell, &count, 8)
        return false
      }
      return true
    }
  }
}
