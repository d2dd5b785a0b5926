public import SecureMemory

/// The parameters of an authorization response (RFC 6749 4.1.2, 4.2.2), decoded.
public struct RedirectParameters {
  /// The parameters in order, without `state`.
  public let fields: [(name: String, value: SecureBox)]
  /// Whether it says why there is no sign-in.
  public let isError: Bool
  private let states: [String]

  /// Decoded parameters. Nil when memory runs out or there are more than a server ever sends.
  public init?(_ parameters: [(name: String, value: String)]) {
    guard parameters.count <= 64 else { return nil }
    var fields: [(name: String, value: SecureBox)] = []
    for (name, value) in parameters where name != "state" {
      guard (1...128).contains(name.utf8.count), let bytes = try? SecureBytes(publicText: value) else { return nil }
      fields.append((name, SecureBox(bytes)))
    }
    self.fields = fields
    states = parameters.filter { $0.name == "state" }.map(\.value)
    isError = fields.contains { $0.name == "error" }
  }

  /// Whether the one state is that one, compared in a time that does not depend on where they differ.
  public func hasState(_ expected: String) -> Bool {
    guard states.count == 1, !expected.isEmpty, let given = try? SecureBytes(publicText: states[0]),
      let wanted = try? SecureBytes(publicText: expected)
    else { return false }
    return given.equals(wanted)
  }
}
