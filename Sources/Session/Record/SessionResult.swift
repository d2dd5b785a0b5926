internal import Basics
internal import SecureMemory
internal import StrategyHost

/// What a strategy's run brought, checked: its fields are text from a plugin and go into cookies, headers and the vault.
struct SessionResult {
  let sessionId: SecureBox?
  let sessionExpiresAt: Timestamp?
  let cookieName: String?
  let identifier: String?
  let password: SecureBox?
  let idToken: SecureBox?
  let idTokenExpiresAt: Timestamp?
  let refreshToken: SecureBox?
  let employeeId: String?
  /// What the plugin wants kept, by the name below `auth.plugin.<strategy>.`.
  let pluginState: [String: SecureBox]

  /// Checks the fields of a success (docs/PLUGINS.md, "Results"). Throws ``FailureCode/pluginFailed`` when the plugin broke
  /// its contract.
  init(strategy: String, operation: StrategyOperation, fields: [String: StrategyValue]) throws(Failure) {
    let reader = ResultReader(strategy: strategy, fields: fields)
    try reader.refuseUnknownFields()
    sessionId = try reader.secret(.sessionId)
    sessionExpiresAt = try reader.instant(.sessionExpiresAt)
    cookieName = try reader.text(.cookieName, limit: 256, SessionText.isCookieName)
    identifier = try reader.text(.identifier, limit: 1_024, SessionText.isPrintable)
    password = try reader.secret(.password)
    idToken = try reader.secret(.idToken)
    idTokenExpiresAt = try reader.instant(.idTokenExpiresAt)
    refreshToken = try reader.secret(.refreshToken)
    employeeId = try reader.text(.employeeId, limit: 1_024, SessionText.isPrintable)
    pluginState = try reader.pluginState()
    if operation == .login, identifier == nil { throw reader.broken("a sign-in without an identifier") }
    switch try reader.kind() {
    case .cookie:
      guard sessionId != nil else { throw reader.broken("a session, but no sessionId") }
      guard cookieName != nil else { throw reader.broken("a session, but no cookieName") }
    case .none:
      guard sessionId == nil, cookieName == nil, sessionExpiresAt == nil, password == nil else {
        throw reader.broken("no session, and fields of one")
      }
    }
  }

  /// Checks what a refresh stores before its end, by the names of the vault. Throws ``FailureCode/pluginFailed``.
  init(strategy: String, storing values: [(name: String, value: StrategyValue)]) throws(Failure) {
    let state = "plugin.\(strategy)."
    var fields: [String: StrategyValue] = [ResultReader.kindField: .text("none")]
    for (name, value) in values {
      let field = String(name.dropFirst("auth.".count))
      let isState = field.utf8.starts(with: state.utf8)
      fields[isState ? ResultReader.pluginPrefix + field.dropFirst(state.count) : field] = value
    }
    try self.init(strategy: strategy, operation: .refresh, fields: fields)
  }
}

private struct ResultReader {
  let strategy: String
  let fields: [String: StrategyValue]

  static let pluginPrefix = "plugin."
  static let kindField = "session"

  enum Kind: String {
    case cookie, none
  }

  func kind() throws(Failure) -> Kind {
    guard case .text(let text) = fields[ResultReader.kindField], let kind = Kind(rawValue: text) else {
      throw broken("a result that says neither 'cookie' nor 'none'")
    }
    return kind
  }

  func refuseUnknownFields() throws(Failure) {
    let known = Set(SessionKey.results.map(\.field) + [ResultReader.kindField])
    for field in fields.keys.sorted()
    where !known.contains(field) && !field.utf8.starts(with: ResultReader.pluginPrefix.utf8) {
      throw broken("the unknown field '\(OutsideText.clean(field, limit: 64))'")
    }
  }

  func text(_ key: SessionKey, limit: Int, _ isAllowed: (UInt8) -> Bool) throws(Failure) -> String? {
    let found: String
    switch fields[key.field] {
    case nil: return nil
    case .text(let text): found = text
    // A name that the plugin treats as secret is no secret of ours.
    case .secret(let box):
      guard let text = box.bytes.publicText() else { throw broken("\(key.field) that is not UTF-8") }
      found = text
    case .instant: throw broken("\(key.field) that is a time")
    }
    guard !found.isEmpty else { return nil }
    guard found.utf8.count <= limit, found.utf8.allSatisfy(isAllowed) else {
      throw broken("a \(key.field) that is not one")
    }
    return found
  }

  func secret(_ key: SessionKey) throws(Failure) -> SecureBox? {
    let box: SecureBox
    switch fields[key.field] {
    case nil: return nil
    case .secret(let secret): box = secret
    case .text(let text): box = SecureBox(try SecureBytes(publicText: text))
    case .instant: throw broken("\(key.field) that is a time")
    }
    guard box.bytes.count > 0 else { return nil }
    let isGood = unsafe box.bytes.withBytes { unsafe $0.count <= key.credentialLimit && $0.allSatisfy(key.allows) }
    guard isGood else { throw broken("a \(key.field) that is not one") }
    return box
  }

  func instant(_ key: SessionKey) throws(Failure) -> Timestamp? {
    switch fields[key.field] {
    case nil: return nil
    case .instant(let time):
      // What cannot be written as RFC 3339 could not be read again.
      guard Timestamp(rfc3339: time.rfc3339) == time else { throw broken("a \(key.field) out of range") }
      return time
    case .text, .secret: throw broken("a \(key.field) that is not a time")
    }
  }

  func pluginState() throws(Failure) -> [String: SecureBox] {
    var state: [String: SecureBox] = [:]
    for (field, value) in fields where field.utf8.starts(with: ResultReader.pluginPrefix.utf8) {
      let name = String(decoding: field.utf8.dropFirst(ResultReader.pluginPrefix.utf8.count), as: UTF8.self)
      guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(SessionText.isToken) else {
        throw broken("a state whose name is not one")
      }
      switch value {
      case .secret(let box): state[name] = box
      case .text(let text): state[name] = SecureBox(try SecureBytes(publicText: text))
      case .instant(let time): state[name] = SecureBox(try SecureBytes(publicText: time.rfc3339))
      }
    }
    return state
  }

  func broken(_ what: String) -> Failure {
    Failure(
      .pluginFailed, "the strategy \(OutsideText.clean(strategy, limit: 64)) reports \(what)",
      hint: "the plugin breaks its contract; nothing was stored")
  }
}
