internal import Basics
internal import SecureMemory
internal import StrategyWire

/// A message of the child's. Those that may hold secrets are read by this module's own reader, which keeps bytes in
/// guarded memory; the others by StrategyWire's.
enum PluginMessage {
  case hello(WireMessage.Hello)
  case request(id: UInt32, HostCall, PluginRecord)
  case log(WireLogLevel, String)
  case result(PluginRecord)
  case failure(WireMessage.StrategyFault)
  case refused(String)
  case broken(String)

  /// Reads the body of a frame. Throws ``FailureCode/pluginFailed``.
  init(_ frame: SecureBox) throws(Failure) {
    var reader = SecureReader(frame)
    switch try reader.integer(UInt8.self) {
    case WireKind.request:
      let id = try reader.integer(UInt32.self)
      guard let call = HostCall(rawValue: try reader.integer(UInt16.self)) else { throw .garbled }
      self = .request(id: id, call, try reader.record())
    case WireKind.result: self = .result(try reader.record())
    default:
      let body = unsafe frame.bytes.withBytes { unsafe Array($0) }
      switch try WireMessage(body: body[...]) {
      case .hello(let hello): self = .hello(hello)
      case .log(let level, let text): self = .log(level, text)
      case .failure(let fault): self = .failure(fault)
      case .refused(let text): self = .refused(text)
      case .broken(let text): self = .broken(text)
      default: throw .garbled
      }
      return
    }
    guard reader.isAtEnd else { throw .garbled }
  }
}

/// The kind bytes of the frames that are read and written here instead of by StrategyWire.
enum WireKind {
  static let request: UInt8 = 3
  static let response: UInt8 = 4
  static let result: UInt8 = 6
}

extension Failure {
  /// A message that breaks the wire format.
  static var garbled: Failure {
    Failure(.pluginFailed, "its process sent a message that cannot be read")
  }
}
