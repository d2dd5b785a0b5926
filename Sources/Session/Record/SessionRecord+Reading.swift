internal import Basics
internal import SecureMemory
public import Vault

extension SessionReading {
  /// Reads what a vault holds. Nothing that stands there can make it fail: it is ``damaged(_:)`` at worst.
  public init(_ contents: VaultContents) {
    do throws(RecordDamage) {
      self = try RecordReader(contents: contents).read()
    } catch {
      self = .damaged(error.text)
    }
  }
}

private struct RecordDamage: Error {
  let text: String
}

private struct RecordReader {
  let contents: VaultContents

  func read() throws(RecordDamage) -> SessionReading {
    guard let signInId = try text(.signInId, limit: 128, SessionText.isToken) else { return try readWithoutSignIn() }
    guard let strategy = try text(.strategy, limit: 64, SessionText.isToken) else { throw missing(.strategy) }
    guard let stored = try text(.binding, limit: 8_192, { $0 >= 0x20 || $0 == 0x0A }) else { throw missing(.binding) }
    guard let binding = SessionBinding(text: stored) else { throw damage(.binding, "is not a binding") }
    guard binding.strategy == strategy else { throw damage(.binding, "names another strategy than auth.strategy") }
    let pluginPrefix = "auth.plugin.\(strategy)."
    let hasPluginState = contents.entries.keys.contains { $0.text.utf8.starts(with: pluginPrefix.utf8) }
    let hasPassword = try secret(.password), hasRefreshToken = try secret(.refreshToken)
    let hasSession = try secret(.sessionId), hasIDToken = try secret(.idToken)
    let canRefresh = hasPassword || hasRefreshToken || hasPluginState
    let cookieName = try text(.cookieName, limit: 256, SessionText.isCookieName)
    return .record(
      SessionRecord(
        strategy: strategy, signInId: signInId, binding: binding,
        identifier: try text(.identifier, limit: 1_024, SessionText.isPrintable),
        employeeId: try text(.employeeId, limit: 1_024, SessionText.isPrintable),
        hasSession: hasSession, sessionExpiresAt: try instant(.sessionExpiresAt),
        cookieName: cookieName,
        idTokenExpiresAt: try instant(.idTokenExpiresAt),
        canRefresh: canRefresh, isLocal: cookieName == nil && !hasSession && !hasIDToken && !canRefresh))
  }

  // Credentials of no sign-in are nobody's: they are not used.
  private func readWithoutSignIn() throws(RecordDamage) -> SessionReading {
    for key in SessionKey.credentials where try secret(key) {
      throw RecordDamage(text: "\(key.rawValue) is there and auth.signInId is missing")
    }
    let strategy = try text(.strategy, limit: 64, SessionText.isToken)
    let identifier = try text(.identifier, limit: 1_024, SessionText.isPrintable)
    guard strategy != nil else { return .none }
    let employeeId = try text(.employeeId, limit: 1_024, SessionText.isPrintable)
    return .ended(strategy: strategy, identifier: identifier, employeeId: employeeId)
  }

  private func entry(_ key: SessionKey) throws(RecordDamage) -> VaultContents.Entry? {
    do throws(Failure) { return try contents.entry(key) } catch { throw RecordDamage(text: error.message) }
  }

  private func secret(_ key: SessionKey) throws(RecordDamage) -> Bool {
    guard let entry = try entry(key) else { return false }
    guard entry.value.count > 0 else { throw damage(key, "is empty") }
    let isPossible = unsafe entry.value.withBytes { bytes in
      unsafe bytes.count <= key.credentialLimit && bytes.allSatisfy(key.allows)
    }
    guard isPossible else { throw damage(key, "holds what cannot be one") }
    return true
  }

  private func text(
    _ key: SessionKey, limit: Int, _ isAllowed: (UInt8) -> Bool
  ) throws(RecordDamage) -> String? {
    guard let entry = try entry(key) else { return nil }
    guard entry.value.count > 0 else { throw damage(key, "is empty") }
    guard entry.value.count <= limit else { throw damage(key, "is longer than \(limit) bytes") }
    guard let text = entry.value.publicText() else { throw damage(key, "is not UTF-8") }
    guard text.utf8.allSatisfy(isAllowed) else { throw damage(key, "holds a character that cannot be in it") }
    return text
  }

  private func instant(_ key: SessionKey) throws(RecordDamage) -> Timestamp? {
    guard let text = try text(key, limit: 64, SessionText.isPrintable) else { return nil }
    guard let instant = Timestamp(rfc3339: text) else { throw damage(key, "is not an RFC 3339 time") }
    return instant
  }

  private func missing(_ key: SessionKey) -> RecordDamage { damage(key, "is missing") }
  private func damage(_ key: SessionKey, _ what: String) -> RecordDamage {
    RecordDamage(text: "\(key.rawValue) \(what)")
  }
}

/// Which bytes the texts of a session are made of.
enum SessionText {
  /// Names that we or a manifest give: letters, digits, `_`, `-` and `.`.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
  /// Any UTF-8 but control characters.
  static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }
  /// A token of RFC 9110 5.6.2, which RFC 6265 asks of a cookie's name.
  static func isCookieName(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
  }
  /// What a cookie's value is made of (`cookie-octet` of RFC 6265 4.1.1).
  static func isCookieValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
    default: false
    }
  }
}
