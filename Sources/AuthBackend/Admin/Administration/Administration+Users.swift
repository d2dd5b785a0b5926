internal import AuthBackend
internal import BackendKeys
public import BackendStore
public import Basics
public import SecureMemory

extension Administration {
  /// Adds a user who signs in by a name, in lower case, and a password; without one, by Apple or Google only.
  ///
  /// Throws ``FailureCode/usage`` for a name or a password that cannot be one, ``FailureCode/exists``.
  public func addUser(
    named name: String, password: SecureBox?, claims: [String: JSONValue] = [:]
  ) throws(Failure) -> User {
    let name = try userName(name)
    var hash: String?
    if let password { hash = try PasswordHash.make(password.bytes, least: passwordLength) }
    var user = User(id: "user_" + (try TokenID.random()), name: name, passwordHash: hash, createdAt: now)
    user.passwordChangedAt = hash == nil ? nil : now
    user.claims = claims
    let record = entry("user.added", ["user": user.id])
    do throws(Failure) { try store.add(user) { _ in [record] } } catch {
      guard error.code == .exists else { throw error }
      throw Administration.userExists
    }
    return user
  }

  /// Checks that a name can be a user's and is none's yet. Throws as ``addUser(named:password:claims:)`` does for the name.
  public func checkFree(_ name: String) throws(Failure) {
    guard try store.user(named: try userName(name)) == nil else { throw Administration.userExists }
  }

  private static let userExists = Failure(
    .exists, "there is a user of that name already", hint: "'user list' names them")

  private func userName(_ text: String) throws(Failure) -> String {
    guard !MisplacedSecret.isIn(text) else {
      throw Failure(
        .usage, "a secret cannot be a user's name",
        hint: "it has been seen where names are shown, so use it no more; the name is what is typed at the sign-in")
    }
    let name = UserName.canonical(text)
    guard (1...256).contains(name.utf8.count), name == OutsideText.clean(name, limit: 256), !name.contains(" ") else {
      throw Failure(
        .usage, "that cannot be a user's name",
        hint: "use 1 to 256 characters without blanks, such as an e-mail address")
    }
    return name
  }

  /// The user of a name or an id. Throws ``FailureCode/notFound``.
  public func user(_ text: String) throws(Failure) -> User {
    if let user = try store.user(named: UserName.canonical(text)) { return user }
    if let user = try store.user(id: text) { return user }
    throw Failure(
      .notFound, "there is no user '\(OutsideText.clean(text, limit: 100))'", hint: "'mfs-authd user list' names them")
  }

  /// Shuts an account or opens it; shut, its sign-ins end at once. Returns those. Throws ``FailureCode/notFound``.
  public func setDisabled(_ isDisabled: Bool, _ user: User) throws(Failure) -> [Family] {
    let record = entry(isDisabled ? "user.disabled" : "user.enabled", ["user": user.id])
    return try change(user, record, ending: isDisabled ? .disabled : nil) { $0.isDisabled = isDisabled }
  }

  /// Sets a password; the user's sign-ins end at once. Returns those. Throws ``FailureCode/notFound`` and ``FailureCode/usage``.
  public func setPassword(_ password: SecureBox, of user: User) throws(Failure) -> [Family] {
    let hash = try PasswordHash.make(password.bytes, least: passwordLength), now = now
    return try change(user, entry("user.password", ["user": user.id]), ending: .password) { user in
      user.passwordHash = hash
      user.passwordChangedAt = now
    }
  }

  /// Sets claims of a user and removes others; the rest stays, and so do sign-ins. Returns the user as it is now. Throws
  /// ``FailureCode/notFound``.
  public func setClaims(
    _ claims: [String: JSONValue], removing removed: [String], of user: User
  ) throws(Failure) -> User {
    // Which they are, and not what they say of a person.
    let names = { (names: [String]) in names.isEmpty ? nil : names.sorted().joined(separator: " ") }
    let record = entry(
      "user.claims", ["user": user.id, "set": names(Array(claims.keys)), "removed": names(removed)])
    _ = try change(user, record, ending: nil) { user in
      for name in removed { user.claims[name] = nil }
      user.claims.merge(claims) { $1 }
    }
    guard let changed = try store.user(id: user.id) else { throw Failure(.notFound, "the user is gone") }
    return changed
  }

  /// Changes one thing of a user as it is now, so that what was changed since it was read stays: each further try is one that
  /// somebody else's change came before. The audit log gets `record` in the same step.
  private func change(
    _ user: User, _ record: AuditEntry, ending: Family.End?, _ body: (inout User) -> Void
  ) throws(Failure) -> [Family] {
    while true {
      guard let known = try store.user(id: user.id) else { throw Failure(.notFound, "the user is gone") }
      var changed = known
      body(&changed)
      let ended = try store.change(changed, ifWas: known, ending: ending, now: now, denyUntil: denyUntil) { ended in
        guard let ended else { return [] }
        return [record] + (ending.map { entries(ended, $0) } ?? [])
      }
      if let ended { return ended }
    }
  }
}
