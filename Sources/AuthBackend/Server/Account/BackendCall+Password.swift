internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory

extension BackendCall {
  /// `/password`: who is signed in changes the password. All sign-ins end with it, and their access tokens are denied at once.
  func passwordPage() throws -> ServerResponse {
    let here = settings.path + Endpoint.password.rawValue
    return try onPage(SignInPlace(here: here, words: "Sign in to change your password.")) { session, form in
      guard let user = try store.user(id: session.user), !user.isDisabled, user.passwordHash != nil else {
        return errorPage(403, "No password", "This account has no password: it signs in with Apple or Google.")
      }
      guard let form else { return try passwordPage(user, session, here) }
      guard try isFromOwnPage(form, .password(session: session.id), here) else {
        return errorPage(403, "This cannot go on", "The form did not come from this server's page. Start again.")
      }
      return try changePassword(form, user, session, here)
    }
  }

  private func passwordPage(
    _ user: User, _ session: BrowserSession, _ here: String, problem: String? = nil, status: Int = 200
  ) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Change your password", site: BackendCall.site)
    if let problem { page.warn(problem) }
    page.say("Afterwards you sign in anew on all your devices.")
    return try withToken(page, status, .password(session: session.id), here) { page, token in
      page.form(
        here, account: user.name, hidden: [("csrf", token)],
        fields: [
          .init("password", "Current password", type: "password", completion: "current-password"),
          .init("new-password", "New password", type: "password", completion: "new-password"),
          .init("new-password-again", "New password again", type: "password", completion: "new-password"),
        ], buttons: [.init("change", "Change password")])
    }
  }

  private func changePassword(
    _ form: FormFields, _ user: User, _ session: BrowserSession, _ here: String
  ) throws -> ServerResponse {
    guard let old = form.secret("password"), let new = form.secret("new-password"),
      let again = form.secret("new-password-again")
    else { return try passwordPage(user, session, here, problem: "Fill in all three.", status: 400) }
    if let problem = objection(to: new, again, old, user) {
      return try passwordPage(user, session, here, problem: problem, status: 400)
    }
    // The current password is guessed here as it is on the sign-in page, so it counts as it does there.
    let keys = try attemptKeys(user.name)
    if case .wait(let until) = try store.attempt(keys.rules, now: now) {
      let seconds = max(1, until.seconds - now.seconds)
      report("password.delayed", ["user": user.id, "address": address])
      let problem = "Too many wrong passwords. Try again in \(BackendCall.words(seconds))."
      var response = try passwordPage(user, session, here, problem: problem, status: 429)
      response.headers.add("Retry-After", String(seconds))
      return response
    }
    let verdict = try judged(keys.rules) { checker throws(Failure) in
      try checker.check(old.bytes, against: user.passwordHash, known: user.name)
    }
    guard let isRight = verdict else { return try busy(user, session, here) }
    guard isRight else {
      report("password.refused", ["user": user.id, "address": address])
      return try passwordPage(user, session, here, problem: "The current password is wrong.", status: 401)
    }
    let made = try judged(keys.rules) { checker throws(Failure) in try checker.make(new.bytes, known: user.name) }
    guard let hash = made else { return try busy(user, session, here) }
    var changed = user
    changed.passwordHash = hash
    changed.passwordChangedAt = now
    // Hashing takes a while: what an administrator did meanwhile stands.
    let audit: Auditing<[Family]?> = { [self] ended in
      guard let ended else { return [] }
      let count = String(ended.count)
      return [entry("password.changed", ["user": user.id, "address": address, "ended": count])]
        + entries(ended, .password)
    }
    let outcome = try store.change(
      changed, ifWas: user, ending: .password, now: now, denyUntil: denyUntil, audit: audit)
    guard outcome != nil else {
      report("password.overtaken", ["user": user.id, "address": address])
      return errorPage(409, "Not changed", "The account was changed meanwhile. Sign in and try again.")
    }
    try forgive(keys.rules)
    tell(audit(outcome))
    var page = HTMLPage("Password changed", site: BackendCall.site)
    page.say("You are signed out everywhere. Sign in with the new password.")
    var response = page.response(status: 200)
    response.headers.add("Set-Cookie", Cookie.session.header("", seconds: 0, isSecure: settings.isSecure))
    // It is her browser: strangers must not hold her up in it when she signs in with the new password.
    response.headers.add("Set-Cookie", try knownCookie(changed))
    return response
  }

  private func busy(_ user: User, _ session: BrowserSession, _ here: String) throws(Failure) -> ServerResponse {
    let problem = "Many people are signing in. Try again in a moment."
    var response = try passwordPage(user, session, here, problem: problem, status: 503)
    response.headers.add("Retry-After", "2")
    return response
  }

  /// What is wrong with a new password, see ``PasswordHash``.
  private func objection(to new: SecureBox, _ again: SecureBox, _ old: SecureBox, _ user: User) -> String? {
    guard new.bytes.equals(again.bytes) else { return "The two new passwords are not the same." }
    guard !new.bytes.equals(old.bytes) else { return "The new password is the current one." }
    do throws(Failure) { try PasswordHash.check(new.bytes, least: settings.passwordLength) } catch {
      return new.bytes.count > PasswordHash.limit
        ? "The new password is too long."
        : "The new password is too short: it needs \(settings.passwordLength) characters."
    }
    let isName = unsafe new.bytes.withBytes { unsafe UserName.isName($0, user.name) }
    return isName ? "The new password is your name here." : nil
  }
}
