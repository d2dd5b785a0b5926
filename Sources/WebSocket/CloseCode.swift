/// Why a WebSocket was closed (RFC 6455 7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number, e.g. 1000.
  public let rawValue: UInt16

  /// A code by its number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 1000: it has done what it was for.
  public static let normal = CloseCode(rawValue: 1_000)
  /// 1001: the server is going down, or the page was left.
  public static let goingAway = CloseCode(rawValue: 1_001)
  /// 1002: the other side broke the protocol.
  public static let protocolError = CloseCode(rawValue: 1_002)
  /// 1003: a type of data that is not taken.
  public static let unsupportedData = CloseCode(rawValue: 1_003)
  /// 1005: the closing frame named no code. Never sent.
  public static let noStatus = CloseCode(rawValue: 1_005)
  /// 1006: the connection ended without a closing frame. Never sent.
  public static let abnormal = CloseCode(rawValue: 1_006)
  /// 1007: text that is not UTF-8.
  public static let invalidPayload = CloseCode(rawValue: 1_007)
  /// 1008: against the rules of the application.
  public static let policyViolation = CloseCode(rawValue: 1_008)
  /// 1009: a message that is too long.
  public static let tooBig = CloseCode(rawValue: 1_009)
  /// 1011: the server failed.
  public static let internalError = CloseCode(rawValue: 1_011)

  /// Whether the code may stand in a closing frame: those that RFC 6455 and its registry give a meaning, and those that are
  /// left to libraries (3000 on) and applications (4000 on).
  public var isSendable: Bool {
    switch rawValue {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }

  /// The number.
  public var description: String { String(rawValue) }
}
