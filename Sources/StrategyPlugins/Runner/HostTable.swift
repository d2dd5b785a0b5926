internal import Basics
internal import CStrategyABI
internal import Glibc
internal import StrategyBridge
internal import StrategyWire

/// The tables that the plugin gets. They live as long as the process, as the ABI promises.
enum HostTable {
  /// Lends the host's and the sink's table.
  static func withTables(_ body: (UnsafePointer<mfs_host_t>, UnsafePointer<mfs_sink_t>) -> Void) {
    unsafe body(constant(host), constant(Sink.table))
  }

  /// Memory that is never freed, for a structure that begins with its size.
  static func constant<T>(_ value: T) -> UnsafePointer<T> {
    let more = Trial.spacing
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<T>.size + more, alignment: MemoryLayout<T>.alignment)
    unsafe memset(memory, 0xA5, MemoryLayout<T>.size + more)
    let table = unsafe memory.initializeMemory(as: T.self, to: value)
    if more > 0 { unsafe memory.storeBytes(of: UInt32(MemoryLayout<T>.size + more), as: UInt32.self) }
    return unsafe UnsafePointer(table)
  }

  private static var host: mfs_host_t {
    unsafe mfs_host_t(
      struct_size: UInt32(MemoryLayout<mfs_host_t>.size), abi_version: PluginLibrary.abi, context: nil,
      log: { _, level, text in
        let conversation = Conversation.current(for: "log")
        // What is not UTF-8 is shown as such, what is too long is cut: a log line is not worth a failure.
        let bytes = unsafe [UInt8](slice: text) ?? Array("(a line that cannot be read)".utf8)
        let line = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        let level = WireLogLevel(rawValue: UInt8(clamping: level)) ?? .info
        HostTable.attempt(conversation) { () throws(Ending) in try conversation.channel.send(.log(level, line)) }
      },
      now_wall: { _, seconds in
        HostTable.clock(named: "now_wall") { answer in
          guard let seconds = unsafe seconds, let wall = answer.instant("wall") else { return false }
          unsafe seconds.pointee = wall.seconds
          return true
        }
      },
      now_monotonic: { _, nanoseconds in
        _ = Conversation.current(for: "now_monotonic")
        guard let nanoseconds = unsafe nanoseconds else { return HostStatus.badArgument.rawValue }
        unsafe nanoseconds.pointee = MonotonicInstant.now().nanoseconds
        return HostStatus.ok.rawValue
      },
      random: { _, bytes, count in
        let conversation = Conversation.current(for: "random")
        guard let bytes = unsafe bytes, (1...4_096).contains(count) else { return HostStatus.badArgument.rawValue }
        let (status, answer) = HostTable.attempt(conversation) { () throws(Ending) in
          try conversation.ask(.random, ["count": .integer(Int64(count))])
        }
        guard status == .ok else { return status.rawValue }
        guard let got = answer.bytes("bytes"), got.count == Int(count) else { return HostStatus.internal.rawValue }
        unsafe UnsafeMutableRawBufferPointer(start: bytes, count: got.count).copyBytes(from: got)
        return HostStatus.ok.rawValue
      },
      wipe: { _, bytes, count in
        if let bytes = unsafe bytes { unsafe explicit_bzero(bytes, Int(clamping: count)) }
      },
      is_cancelled: { _ in
        let conversation = Conversation.current(for: "is_cancelled")
        return HostTable.attempt(conversation) { () throws(Ending) in try conversation.interruption() } == nil ? 0 : 1
      },
      get_extension: { _, name in
        _ = Conversation.current(for: "get_extension")
        guard let name = unsafe String(slice: name), unsafe name != Trial.current.without else { return nil }
        return unsafe Extension.table(name)
      })
  }

  private static func clock(named function: StaticString, _ take: (WireRecord) -> Bool) -> mfs_status_t {
    let conversation = Conversation.current(for: function)
    let (status, answer) = HostTable.attempt(conversation) { () throws(Ending) in try conversation.ask(.clock, [:]) }
    guard status == .ok else { return status.rawValue }
    return (take(answer) ? HostStatus.ok : .badArgument).rawValue
  }

  /// Does what can end the process: no error crosses into the plugin.
  static func attempt<T>(_ conversation: Conversation, _ body: () throws(Ending) -> T) -> T {
    do { return try body() } catch { error.leave(conversation.channel) }
  }
}
