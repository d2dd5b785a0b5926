internal import Basics
internal import CLinux
internal import Glibc
internal import SecureMemory
internal import StrategyWire

/// This end of the socket pair to a plugin's process. It never waits; the conversation polls ``descriptor``.
final class PluginChannel {
  /// What reading brought.
  enum Input {
    /// The body of a whole frame.
    case frame(SecureBox)
    /// Nothing: what was sent so far ends here.
    case nothing
    /// The other side closed its end.
    case closed
  }

  private let file: FileDescriptor
  private var header: [UInt8] = []
  private var body: SecureBox?
  private var bodyCount = 0
  private var outgoing: [SecureBox] = []
  private var sent = 0

  var descriptor: Int32 { file.raw }

  /// Takes over a non-blocking socket.
  init(_ file: consuming FileDescriptor) { self.file = file }

  /// Whether something is still to be sent.
  var isSending: Bool { !outgoing.isEmpty }

  /// Queues a frame, length in front.
  func send(_ frame: SecureBox) { outgoing.append(frame) }

  /// Gives up what is still to be sent, since the other side is gone.
  func dropOutgoing() { outgoing.removeAll() }

  /// Sends what the socket takes. A side that is gone is noticed when reading.
  func flush() {
    while let frame = outgoing.first {
      let done = sent
      let count = unsafe frame.bytes.withBytes { bytes in
        unsafe Glibc.send(
          file.raw, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      if count < 0 {
        if clinux_errno() == EINTR { continue }
        if clinux_errno() != EAGAIN { outgoing.removeAll() }
        return
      }
      sent += count
      guard sent == frame.bytes.count else { continue }
      outgoing.removeFirst()
      sent = 0
    }
  }

  /// Reads the next frame as far as it has come. Throws ``FailureCode/pluginFailed`` for a length out of range.
  func receive() throws(Failure) -> Input {
    while true {
      if let body, bodyCount == body.bytes.count {
        self.body = nil
        bodyCount = 0
        return .frame(body)
      }
      let got: Int
      if let body {
        got = fill(body)
        if got > 0 { bodyCount += got }
      } else {
        got = fillHeader()
        if header.count == 4 {
          let length = header.reversed().reduce(0) { $0 << 8 | Int($1) }
          guard (1...WireLimit.frame).contains(length) else { throw .garbled }
          body = SecureBox(try SecureBytes(count: length))
          header.removeAll()
        }
      }
      if got == 0 { return .closed }
      if got < 0 {
        switch clinux_errno() {
        case EINTR: continue
        case EAGAIN: return .nothing
        default: return .closed
        }
      }
    }
  }

  private func fillHeader() -> Int {
    var bytes = [UInt8](repeating: 0, count: 4 - header.count)
    let got = unsafe bytes.withUnsafeMutableBytes { unsafe read(file.raw, $0.baseAddress, $0.count) }
    if got > 0 { header += bytes.prefix(got) }
    return got
  }

  private func fill(_ body: SecureBox) -> Int {
    let start = bodyCount
    return unsafe body.bytes.withMutableBytes { bytes in
      unsafe read(file.raw, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
    }
  }
}
