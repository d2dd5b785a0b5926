public import Basics

/// What the other side did against RFC 6455, and the code to close with. Equal by code.
public struct WebSocketFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The code that the closing frame carries.
  public let code: CloseCode
  /// What was wrong, for people.
  public let message: String

  /// A fault.
  public init(_ code: CloseCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Code and message.
  public var description: String { "\(message) (\(code))" }

  /// Equal when the codes are.
  public static func == (a: WebSocketFault, b: WebSocketFault) -> Bool { a.code == b.code }

  /// As the toolkit's own failure.
  public var failure: Failure {
    Failure(.network, "the other side of the WebSocket broke the protocol: \(message)", hint: "try again later")
  }
}
