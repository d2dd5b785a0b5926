internal import BackendStore
internal import Basics
internal import HTTPServer
internal import OAuthHTTP

extension BackendCall {
  /// `/device` (RFC 8628 3.3): who is signed in types the code that the device shows, sees what it stands for, and decides. An address
  /// that has the code already only types it for them (3.3.1): it must still be compared, since somebody else may have sent it.
  func devicePage() throws -> ServerResponse {
    let given = request.target.queryValue("user_code").flatMap { UserCode.read($0) }.map(UserCode.shown)
    let here = settings.path + Endpoint.device.rawValue + (given.map { "?" + queryText([("user_code", $0)]) } ?? "")
    let place = SignInPlace(here: here, words: "Sign in to let a device in.")
    return try onPage(place) { session, form in
      let foreign = errorPage(403, "This cannot go on", "The form did not come from this server's page. Start again.")
      guard let form else { return try codePage(session, here, typed: given) }
      let action = form.text("action")
      guard action != "continue" else {
        guard try isFromOwnPage(form, .userCode(session: session.id), here) else { return foreign }
        return try lookUp(form.text("user_code") ?? "", session, here)
      }
      let code = form.text("user_code").flatMap { UserCode.read($0) } ?? ""
      guard try isFromOwnPage(form, .deviceCode(session: session.id, code: code), here) else { return foreign }
      switch action {
      case "allow":
        let yes = DeviceDecision.approve(user: session.user, authTime: session.authTime, session: session.id)
        return try decide(code, yes, session, here)
      case "refuse": return try decide(code, .deny, session, here)
      default: return errorPage(400, "This cannot go on", "The form is not one of this server's.")
      }
    }
  }

  private func codePage(
    _ session: BrowserSession, _ here: String, typed: String?, problem: String? = nil, status: Int = 200
  ) throws(Failure) -> ServerResponse {
    var page = HTMLPage("Let a device in", site: BackendCall.site)
    if let problem { page.warn(problem) }
    page.say("Enter the code that your device shows.")
    return try withToken(page, status, .userCode(session: session.id), here) { page, token in
      page.form(
        here, hidden: [("csrf", token)],
        fields: [.init("user_code", "Code", value: typed ?? "", completion: "one-time-code")],
        buttons: [.init("continue", "Continue")])
    }
  }

  /// Codes are short, so guessing is held up (RFC 8628 5.1): by browser session, by account and by network. What was right is counted
  /// too, or whoever asks for codes of his own could have the count forgotten.
  private func lookUp(_ typed: String, _ session: BrowserSession, _ here: String) throws -> ServerResponse {
    guard let code = UserCode.read(typed) else {
      let problem = "That is no code: it has eight letters, such as WDJB-MJHT."
      return try codePage(session, here, typed: OutsideText.clean(typed, limit: 32), problem: problem, status: 400)
    }
    if case .wait(let until) = try store.attempt(rules(session), now: now) {
      let seconds = max(1, until.seconds - now.seconds)
      report("user-code.delayed", ["user": session.user, "address": address], alert: true)
      let problem = "Too many codes. Try again in \(BackendCall.words(seconds))."
      var response = try codePage(session, here, typed: typed, problem: problem, status: 429)
      response.headers.add("Retry-After", String(seconds))
      return response
    }
    guard let asked = try store.lookUp(userCode: code, now: now), let client = try store.client(asked.client),
      client.isEnabled
    else {
      report("user-code.unknown", ["user": session.user, "address": address])
      return try codePage(session, here, typed: UserCode.shown(code), problem: BackendCall.unknownCode, status: 404)
    }
    var page = HTMLPage("Let this device in?", site: BackendCall.site)
    page.say("\(OutsideText.clean(client.name, limit: 80)) on a device that shows \(UserCode.shown(code)) asks for:")
    page.list(asked.scopes.isEmpty ? ["to know that you signed in"] : asked.scopes.map(ScopeText.words))
    page.say("Allow this only if you have that device before you and see this code on it.")
    let form = PageForm.deviceCode(session: session.id, code: code)
    return try withToken(page, 200, form, here) { page, token in
      page.form(
        here, hidden: [("csrf", token), ("user_code", code)],
        buttons: [.init("allow", "Allow"), .init("refuse", "Refuse")])
    }
  }

  private static let unknownCode = "There is no such code, or its time is over. Look at your device again."

  private func rules(_ session: BrowserSession) -> [AttemptRule] {
    func rule(_ key: String, _ free: Int64) -> AttemptRule {
      AttemptRule(
        key: "user-code/" + key, free: free, firstDelaySeconds: settings.userCodeDelaySeconds,
        maximumDelaySeconds: settings.userCodeDelayLimitSeconds,
        forgetSeconds: max(settings.deviceCodeSeconds, settings.userCodeDelayLimitSeconds))
    }
    return [
      rule("session/" + session.id, settings.freeUserCodes), rule("user/" + session.user, settings.freeUserCodes * 4),
      rule("address/" + AddressText.group(address), settings.freeUserCodes * 6),
    ]
  }

  private func decide(
    _ code: String, _ decision: DeviceDecision, _ session: BrowserSession, _ here: String
  ) throws -> ServerResponse {
    guard let decided = try store.decide(userCode: code, decision, now: now) else {
      // Who was signed out in this very moment signs in again.
      guard try browserSession() != nil else { return redirectHere(here) }
      return try codePage(session, here, typed: nil, problem: BackendCall.unknownCode, status: 404)
    }
    let isAllowed = decision != .deny
    report(
      isAllowed ? "device-code.approved" : "device-code.denied",
      ["user": session.user, "client": decided.client, "device": decided.device, "address": address])
    var page = HTMLPage(isAllowed ? "The device is let in" : "Refused", site: BackendCall.site)
    page.say(isAllowed ? "Go back to your device: it goes on by itself." : "The device gets nothing.")
    return page.response(status: 200)
  }
}
