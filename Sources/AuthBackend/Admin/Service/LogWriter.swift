internal import Basics
internal import Glibc

/// What those who have lines for a log share with the thread that writes them: the bytes that wait. The thread takes all of them at once,
/// and is woken only when it waits for some.
final class LogWriter: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    /// Lines that were dropped and not told of yet, and all there ever were.
    var dropped: Int64 = 0
    var lost: Int64 = 0
    /// Whether the thread has nothing to do; otherwise it looks by itself when it is done.
    var isIdle = false
    var isStopping = false
    var hasEnded = false
  }

  private let descriptor: Int32
  private let capacity: Int
  private let state = Monitor(State())

  init(_ descriptor: Int32, capacity: Int) { (self.descriptor, self.capacity) = (descriptor, capacity) }

  /// How many lines were dropped since the start.
  var lost: Int64 { state.withLock(wake: .nobody) { $0.lost } }

  func add(_ line: [UInt8]) {
    state.update { state in
      guard !state.hasEnded, state.waiting.count + line.count <= capacity else {
        state.dropped += 1
        state.lost += 1
        return ((), .nobody)
      }
      state.waiting += line
      defer { state.isIdle = false }
      return ((), state.isIdle ? .all : .nobody)
    }
  }

  /// Waits until all is written, so many seconds at most.
  func flush(within seconds: Double) {
    _ = state.wait(until: .now().advanced(bySeconds: seconds)) { state in
      state.hasEnded || state.isIdle && state.waiting.isEmpty ? true : nil
    }
  }

  /// The same, and then the thread ends; one that nobody reads from is left to itself.
  func stop(within seconds: Double) {
    state.withLock { $0.isStopping = true }
    _ = state.wait(until: .now().advanced(bySeconds: seconds)) { $0.hasEnded ? true : nil }
  }

  /// What the thread does.
  func work() {
    var bytes: [UInt8] = []
    // A line that was broken off is ended before the next one begins.
    var isBroken = false
    while let told = take(&bytes) {
      // That end is no line of these.
      let ends = isBroken ? 1 : 0
      if isBroken { bytes.insert(UInt8(ascii: "\n"), at: 0) }
      let sent = write(bytes)
      if sent > 0 { isBroken = bytes[sent - 1] != UInt8(ascii: "\n") }
      if sent < bytes.count { drop(bytes[max(sent, ends)...].count { $0 == UInt8(ascii: "\n") }, told) }
      bytes.removeAll(keepingCapacity: true)
    }
  }

  /// Gives all that waits, and how many dropped lines are told of in it; nil when the thread is to end.
  private func take(_ bytes: inout [UInt8]) -> Int64? {
    while true {
      let (told, hasEnded) = state.update { state -> (result: (Int64?, Bool), wake: Monitor<State>.Wake) in
        guard state.waiting.isEmpty else {
          swap(&bytes, &state.waiting)
          let told = state.dropped
          state.dropped = 0
          return ((told, false), .nobody)
        }
        state.isIdle = true
        state.hasEnded = state.isStopping
        return ((nil, state.hasEnded), .all)
      }
      if let told {
        if told > 0 { bytes += ServiceLog.line(.error, "log.dropped", [("count", .integer(told))]) }
        return told
      }
      if hasEnded { return nil }
      state.wait { $0.isStopping || !$0.waiting.isEmpty ? () : nil }
      // More lines come with the first one, each of which would wake the thread on its own.
      let soon = MonotonicInstant.now().advanced(byMilliseconds: 10)
      _ = state.wait(until: soon) { $0.isStopping ? () : nil }
    }
  }

  /// Counts what could not be written. The line that tells of others before is the last one, and they are told of later.
  private func drop(_ lines: Int, _ told: Int64) {
    let count = Int64(lines) - (told > 0 ? 1 : 0)
    state.withLock(wake: .nobody) { state in
      state.dropped += told + count
      state.lost += count
    }
  }

  /// Writes as much as is taken; it waits for the reader.
  private func write(_ bytes: [UInt8]) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN {
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&place, 1, -1)
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return sent
  }
}
