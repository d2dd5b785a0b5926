internal import BackendKeys
internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP
internal import SecureMemory

/// A page that somebody signs in on.
struct SignInPlace {
  /// Its address, which its form is posted to.
  let here: String
  /// What it says that the sign-in is for.
  let words: String
  /// Which client that is; nil for a page of the server's own.
  var client: String?
  /// Who may be meant.
  var hint: String?
}

/// What came of a sign-in form.
enum SignInAnswer {
  /// The page again.
  case page(ServerResponse)
  /// Somebody is signed in; the browser is to get these cookies.
  case signedIn(BrowserSession, cookies: [String])
}

extension BackendCall {
  /// The answer to the sign-in form: a session, or the page again. An unknown name gets the same words after the same time
  /// as a wrong password.
  func signIn(_ form: FormFields, _ place: SignInPlace) throws -> SignInAnswer {
    let name = form.text("username").map(UserName.canonical) ?? ""
    guard !name.isEmpty, name.utf8.count <= 256, let password = form.secret("password") else {
      return .page(
        try signInPage(place, user: name, problem: "Enter your email or username and your password.", status: 400))
    }
    let keys = try attemptKeys(name)
    if case .wait(let until) = try store.attempt(keys.rules, now: now) {
      return .page(try tryAgainLater(place, name, until))
    }
    let user = try store.user(named: name)
    let verdict = try judged(keys.rules) { checker throws(Failure) in
      try checker.check(
        password.bytes, against: user?.passwordHash, known: keys.isKnown ? name : nil)
    }
    guard let isRight = verdict else {
      var response = try signInPage(
        place, user: name, problem: "Many people are signing in. Try again in a moment.", status: 503)
      response.headers.add("Retry-After", "2")
      return .page(response)
    }
    guard isRight, let user, !user.isDisabled, let answer = try makeSession(user, place) else {
      // A name that is not there is recorded as one that is: the record takes time, which would tell the two apart.
      report(
        "sign-in.failed", ["user": user?.id, "client": place.client, "address": address],
        account: try mac.make("account", name))
      return .page(try signInPage(place, user: name, problem: "Wrong email or password.", status: 401))
    }
    try forgive(keys.rules)
    return answer
  }

  /// A new session; nil when the password is not that of the user any more, or the account was shut while the password was checked.
  private func makeSession(_ user: User, _ place: SignInPlace) throws -> SignInAnswer? {
    let token = try OpaqueToken(.browser)
    let session = BrowserSession(
      hash: try backend.peppers.hash(token, now: now), id: "bs_" + (try TokenID.random()), user: user.id, authTime: now,
      expiresAt: now.advanced(by: settings.browserSessionSeconds))
    guard try store.add(session, ifPasswordIs: user.passwordHash) else { return nil }
    // A cookie that somebody may have planted is worth nothing after a sign-in.
    if let old = try browserSession() { try store.endBrowserSessions(id: old.id, user: nil) }
    report("sign-in.password", ["user": user.id, "client": place.client, "address": address])
    let cookies = [
      Cookie.session.header(token.text, seconds: settings.browserSessionSeconds, isSecure: settings.isSecure),
      try knownCookie(user),
    ]
    return .signedIn(session, cookies: cookies)
  }

  /// The cookie that makes a browser a known one of an account, for as long as the account has this password: whoever had that one, and
  /// could make browsers known with it, has no guesses of his own at the next.
  func knownCookie(_ user: User) throws(Failure) -> String {
    let random = try TokenID.random()
    let known = random + "." + (try mac.make("known", user.name, user.passwordHash ?? "", random))
    return Cookie.known.header(known, seconds: 365 * 86_400, isSecure: settings.isSecure)
  }

  /// What a try counts against. A browser that this account signed in on before with the password that it has now counts by itself, so
  /// that nobody who guesses elsewhere can shut its owner out; everybody else counts by account and network, by network, and by account with more patience.
  func attemptKeys(_ name: String) throws(Failure) -> (rules: [AttemptRule], isKnown: Bool) {
    let place = AddressText.group(address)
    func rule(_ key: String, _ free: Int64) -> AttemptRule {
      AttemptRule(
        key: key, free: free, firstDelaySeconds: settings.passwordDelaySeconds,
        maximumDelaySeconds: settings.passwordDelayLimitSeconds, forgetSeconds: 86_400)
    }
    let account = try mac.make("account", name)
    if let known = cookie(.known) {
      let parts = known.split(separator: ".").map(String.init)
      // Whether there is such a user makes no difference before that: none was made for a name without a password.
      if parts.count == 2,
        try mac.isRight(parts[1], "known", name, store.user(named: name)?.passwordHash ?? "", parts[0])
      {
        return ([rule("known/\(account)/\(parts[0])", settings.freePasswords)], true)
      }
    }
    return (
      [
        rule("account/\(account)/\(place)", settings.freePasswords),
        rule("address/\(place)", settings.freePasswords * 10),
        rule("account/\(account)", settings.freePasswords * 20),
      ], false
    )
  }

  /// Forgets what was counted against an account, whose owner it was. Of what was counted against the address only this one attempt
  /// goes: otherwise whoever has an account could buy guesses at others' with it.
  func forgive(_ rules: [AttemptRule]) throws(Failure) {
    let keys = rules.map(\.key), isAddress = { (key: String) in key.hasPrefix("address/") }
    try store.forgetAttempts(keys.filter { !isAddress($0) })
    try store.takeBackAttempt(keys.filter(isAddress))
  }

  /// What the checker of passwords says to an attempt that was counted under these rules. Nil when it cannot say anything now, since too
  /// many wait or memory ran out: then nothing was guessed and the attempt is taken back. Otherwise whoever keeps the checker busy
  /// could shut owners out with their own right passwords.
  func judged<R>(
    _ rules: [AttemptRule], _ body: (PasswordChecker) throws(Failure) -> R?
  ) throws(Failure) -> R? {
    do throws(Failure) {
      if let verdict = try body(backend.passwords) { return verdict }
    } catch {
      reportFailure(error)
    }
    try store.takeBackAttempt(rules.map(\.key))
    return nil
  }

  private func tryAgainLater(
    _ place: SignInPlace, _ name: String, _ until: Timestamp
  ) throws(Failure) -> ServerResponse {
    let seconds = max(1, until.seconds - now.seconds)
    report("sign-in.delayed", ["client": place.client, "address": address], alert: true)
    var response = try signInPage(
      place, user: name, problem: "Too many wrong passwords. Try again in \(BackendCall.words(seconds)).",
      status: 429)
    response.headers.add("Retry-After", String(seconds))
    return response
  }

  /// A wait in words.
  static func words(_ seconds: Int64) -> String {
    seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
  }
}
