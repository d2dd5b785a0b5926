internal import Basics
internal import CLinux
internal import Glibc
package import StrategyWire

/// This end of the socket pair to the process that started this one.
package final class Channel {
  /// The parent passes the channel as this descriptor.
  package static let descriptor: Int32 = 3

  private var reader = FrameReader()
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  /// The channel of this process.
  package init() {}

  /// Sends a message. What the plugin made too large is the plugin's fault.
  package func send(_ message: WireMessage) throws(Ending) {
    let frame: [UInt8]
    do { frame = try message.frame() } catch { throw .broken("it sent more than fits one message") }
    var done = 0
    while done < frame.count {
      let sent = unsafe frame.withUnsafeBytes { bytes in
        unsafe write(Channel.descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      if sent > 0 { done += sent } else if sent == 0 || clinux_errno() != EINTR { throw .alone }
    }
  }

  /// Waits for the next message.
  package func receive() throws(Ending) -> WireMessage {
    while true {
      if let message = try buffered() { return message }
      try fill()
    }
  }

  /// The next message if it is there already.
  func receiveNow() throws(Ending) -> WireMessage? {
    while true {
      if let message = try buffered() { return message }
      var entry = pollfd(fd: Channel.descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, 0) > 0 else { return nil }
      try fill()
    }
  }

  private func buffered() throws(Ending) -> WireMessage? {
    do { return try reader.next() } catch { throw .alone }
  }

  private func fill() throws(Ending) {
    let got = unsafe chunk.withUnsafeMutableBytes { bytes in
      unsafe read(Channel.descriptor, bytes.baseAddress, bytes.count)
    }
    if got > 0 {
      reader.feed(chunk[..<got])
    } else if got == 0 || clinux_errno() != EINTR {
      throw .alone
    }
  }
}
