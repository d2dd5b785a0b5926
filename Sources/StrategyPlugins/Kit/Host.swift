public import Basics
internal import CStrategyABI
internal import StrategyBridge
internal import StrategyWire

/// What a strategy can ask of its host. Everything that the manifest does not declare, or the user did not grant, throws
/// ``StrategyError/Reason/denied``.
@safe public struct Host {
  private let table: UnsafePointer<mfs_host_t>

  init(_ table: UnsafePointer<mfs_host_t>) { unsafe self.table = unsafe table }

  /// How much a line of the log matters.
  public enum LogLevel: UInt32, Sendable {
    /// For whoever debugs the plugin.
    case debug = 1
    /// Worth knowing.
    case info = 2
    /// Something is not as it should be.
    case warning = 3
    /// Something failed.
    case error = 4
  }

  /// Writes a line to the log. Never log a secret.
  public func log(_ level: LogLevel, _ text: String) {
    let lent = LentRecord([:])
    unsafe table.pointee.log(table.pointee.context, level.rawValue, lent.lend(text.utf8))
  }

  /// The wall clock.
  public func now() throws(StrategyError) -> Timestamp {
    var seconds: Int64 = 0
    try Host.check(unsafe table.pointee.now_wall(table.pointee.context, &seconds), nil)
    return Timestamp(seconds: seconds)
  }

  /// Random bytes, 1 to 4,096.
  public func random(_ count: Int) throws(StrategyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe table.pointee.random(table.pointee.context, buffer.baseAddress, UInt64(buffer.count))
    }
    try Host.check(status, nil)
    return bytes
  }

  /// Whether the user cancelled or the time is up. A loop that takes long asks.
  public var isCancelled: Bool { unsafe table.pointee.is_cancelled(table.pointee.context) != 0 }

  /// The table of an extension. Throws ``StrategyError/Reason/internal`` when the host has none of that name, or, with
  /// `isWhole`, an earlier one that lacks what was added at its end.
  func extensionTable<T>(
    _ name: String, _: T.Type, isWhole: Bool = false
  ) throws(StrategyError) -> UnsafePointer<T> {
    let lent = LentRecord([:])
    guard let found = unsafe table.pointee.get_extension(table.pointee.context, lent.lend(name.utf8)) else {
      throw StrategyError(.internal, "the host has no \(name)")
    }
    // Each table begins with its size.
    guard unsafe !isWhole || Int(found.load(as: UInt32.self)) >= MemoryLayout<T>.size else {
      throw StrategyError(.internal, "this plugin needs a newer mfsctl: the host's \(name) is an earlier one")
    }
    return unsafe found.assumingMemoryBound(to: T.self)
  }

  /// Makes a call of an extension and returns its answer; nil for `MFS_NOT_FOUND`.
  func call(_ function: mfs_host_call_t, _ request: WireRecord) throws(StrategyError) -> WireRecord? {
    var answer: WireRecord?
    let lent = LentRecord(request)
    let status = unsafe withUnsafeMutablePointer(to: &answer) { place in
      var receiver = unsafe mfs_receiver_t(
        struct_size: UInt32(MemoryLayout<mfs_receiver_t>.size), reserved: 0, context: place,
        receive: { place, answer in
          unsafe place?.assumingMemoryBound(to: WireRecord?.self).pointee = unsafe WireRecord(copying: answer)
        })
      return unsafe function(table.pointee.context, lent.record, &receiver)
    }
    if status == UInt32(MFS_NOT_FOUND) { return nil }
    try Host.check(status, answer?.text("message"))
    guard let answer else { throw StrategyError(.internal, "the host's answer is malformed") }
    return answer
  }

  /// Throws what a status other than `MFS_OK` means to a strategy that does not know better.
  private static func check(_ status: mfs_status_t, _ message: String?) throws(StrategyError) {
    guard status != UInt32(MFS_OK) else { return }
    let (reason, text): (StrategyError.Reason, String) =
      switch Int(status) {
      case Int(MFS_DENIED): (.denied, "the host denied a call")
      case Int(MFS_CANCELLED): (.cancelled, "cancelled")
      case Int(MFS_TIMEOUT): (.network, "it took too long")
      case Int(MFS_NETWORK): (.network, "the server could not be reached")
      case Int(MFS_NOBODY): (.interactionNeeded, "there is nobody to ask")
      case Int(MFS_TOO_LARGE): (.protocolViolation, "the server's answer is too large")
      case Int(MFS_UNTRUSTED): (.refused, "the server cannot be trusted")
      case Int(MFS_PROTOCOL_VIOLATION): (.protocolViolation, "the server does not speak HTTP")
      default: (.internal, "a call of the host failed (status \(status))")
      }
    throw StrategyError(reason, message ?? text)
  }
}
