internal import Basics
internal import SecureMemory

/// Turns the result of a plugin into an outcome. docs/PLUGINS.md, "Results", is its table: what is not in it is not
/// understood, and what is not understood is not stored.
enum StrategyResult {
  private enum Kind {
    case text, secret, instant
  }

  private static let known: [String: Kind] = [
    "identifier": .text, "session": .text, "sessionId": .secret, "cookieName": .text, "sessionExpiresAt": .instant,
    "password": .secret, "idToken": .secret, "idTokenExpiresAt": .instant, "refreshToken": .secret,
    "employeeId": .text,
  ]

  /// Reads a result. Throws ``FailureCode/pluginFailed`` when it is not one of the operation.
  static func read(
    _ record: PluginRecord, of operation: StrategyOperation, secrets: SecretStore
  ) throws(Failure) -> [String: StrategyValue] {
    if operation == .logout { return try report(record) }
    var result: [String: StrategyValue] = [:]
    for (name, value) in record.fields {
      // What a plugin wants kept is a text or a secret of its own.
      let isState = name.utf8.starts(with: "plugin.".utf8) && name.utf8.count > "plugin.".utf8.count
      if isState, case .text(let text) = value {
        result[name] = .text(try checked(text, name))
        continue
      }
      guard let kind = isState ? .secret : known[name] else {
        throw breach("it has a field '\(OutsideText.clean(name, limit: 60))' that is not known")
      }
      switch (kind, value) {
      case (.text, .text(let text)): result[name] = .text(try checked(text, name))
      case (.secret, .bytes(let bytes)): result[name] = .secret(try checked(bytes, name))
      case (.secret, .secret(let handle)):
        guard let secret = secrets[handle] else { throw breach("its field '\(name)' names a secret that is not there") }
        result[name] = .secret(try checked(secret, name))
      case (.instant, .instant(let time)): result[name] = .instant(time)
      default: throw breach("its field '\(name)' is of the wrong kind")
      }
    }
    try checkPresence(result, operation)
    return result
  }

  // Whom a logout reached: a word for each part, and perhaps why.
  private static func report(_ record: PluginRecord) throws(Failure) -> [String: StrategyValue] {
    var result: [String: StrategyValue] = [:]
    for (name, value) in record.fields {
      let part = name.hasSuffix(".message") ? String(name.dropLast(".message".count)) : name
      guard ["gateway", "revocation", "endSession"].contains(part) else {
        throw breach("it has a field '\(OutsideText.clean(name, limit: 60))' that is not known")
      }
      guard case .text(let text) = value else { throw breach("its field '\(name)' is of the wrong kind") }
      result[name] = .text(try checked(text, name))
    }
    return result
  }

  private static func checkPresence(
    _ result: [String: StrategyValue], _ operation: StrategyOperation
  ) throws(Failure) {
    guard case .text(let session)? = result["session"], session == "cookie" || session == "none" else {
      throw breach("its field 'session' must be 'cookie' or 'none'")
    }
    if operation == .login, result["identifier"] == nil { throw breach("it does not say who signed in") }
    for name in ["sessionId", "cookieName"] where (result[name] != nil) != (session == "cookie") {
      throw breach("with session '\(session)' the field '\(name)' must \(session == "cookie" ? "" : "not ")be there")
    }
  }

  private static func checked(_ text: String, _ name: String) throws(Failure) -> String {
    guard !text.isEmpty, text.utf8.count <= 1_024 else { throw breach("its field '\(name)' is empty or too long") }
    return OutsideText.clean(text, limit: 1_024)
  }

  private static func checked(_ secret: SecureBox, _ name: String) throws(Failure) -> SecureBox {
    guard (1...65_536).contains(secret.bytes.count) else { throw breach("its field '\(name)' is empty or too long") }
    return secret
  }

  private static func breach(_ what: String) -> Failure { Failure(.pluginFailed, "its result is wrong: \(what)") }
}
