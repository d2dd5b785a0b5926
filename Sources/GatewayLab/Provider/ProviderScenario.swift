internal import Basics

/// How the identity provider is configured and what goes wrong there: what the part `idp` of a scenario file says.
public struct ProviderScenario: Sendable, Equatable {
  /// The configuration.
  public var options = ProviderOptions()
  /// What goes wrong. The first fault that applies is the one that happens.
  public var faults: [ProviderFault] = []

  /// The defaults, and nothing goes wrong.
  public init() {}

  /// The defaults, and these things go wrong.
  public init(faults: [ProviderFault]) { self.faults = faults }
}

/// One request that the provider answered. It holds nothing that was secret: no query, no field of a form, no token.
public struct ProviderCallRecord: Sendable, Equatable, CustomStringConvertible {
  /// The method.
  public let method: String
  /// The path, without the query.
  public let path: String
  /// The status of the answer; 0 when the connection was cut.
  public let status: Int
  /// What became of it: the grant that was given, or the error's name; empty when the status says it all.
  public let outcome: String

  /// All of it on one line: `POST /token 400 invalid_grant`.
  public var description: String { "\(method) \(path) \(status)" + (outcome.isEmpty ? "" : " " + outcome) }

  /// For the control port.
  var json: JSONValue {
    [
      "method": .string(method), "path": .string(path), "status": .number(status), "outcome": .string(outcome),
    ]
  }
}
