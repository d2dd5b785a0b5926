internal import Basics

extension Gateway {
  /// What an answer that is no success means.
  public func refusal(
    _ response: HTTPResponse, of credential: Credential = .password, _ host: Host
  ) throws(StrategyError) -> StrategyError {
    let status = response.status
    let reason = JSON(response.body)?["reason"]?.text.map { ": \(OutsideText.clean($0))" } ?? ""
    switch status {
    case 401:
      // The gateway says the same for a database it does not have, so the message must not blame the password alone.
      let name = OutsideText.clean(database)
      let text =
        switch credential {
        case .password: "The gateway rejected the user name, the password or the database name '\(name)'\(reason)."
        // It says the same when it cannot reach the provider, or does not know the user and may not make one.
        case .bearer:
          "The gateway rejected the ID token, the user it names, or the database name '\(name)'\(reason)."
        case .nothing:
          "The gateway asks for a credential where it needs none, as for a database that it does not have: is "
            + "EXPO_PUBLIC_SG_DB '\(name)' right?"
        }
      return StrategyError(credential == .nothing ? .refused : .badCredentials, text, status: status)
    case 400 where credential == .bearer && reason.hasPrefix(": Bad JSON"):
      return StrategyError(
        .refused,
        "The gateway takes no ID tokens: its database '\(OutsideText.clean(database))' has no OpenID Connect "
          + "provider configured.", status: status)
    case 300..<400:
      // What follows the path may be what was sent, and that may be a token.
      let page = response.values("location").first?.prefix { $0 != "?" && $0 != "#" }
      let target = page.map { " to \(OutsideText.clean(String($0)))" } ?? ""
      return StrategyError(.refused, "The gateway redirects\(target), which is not followed.", status: status)
    case 407:
      return StrategyError(.refused, "A proxy asks for credentials of its own.", status: status)
    case 408, 425, 429, 500...:
      return StrategyError(
        .server, "The gateway answered HTTP \(status)\(reason).", status: status,
        retryAfter: try host.retryAfter(response))
    default:
      return StrategyError(.refused, "The gateway answered HTTP \(status)\(reason).", status: status)
    }
  }
}

extension Host {
  /// After how many seconds a server wants to be asked again (RFC 9110 10.2.3: seconds or a date); nil when it does not say.
  public func retryAfter(_ response: HTTPResponse) throws(StrategyError) -> Int? {
    guard let field = response.values("retry-after").first?.trimmingSpaces() else { return nil }
    if let seconds = Int(field) { return seconds >= 0 ? seconds : nil }
    guard let date = Timestamp(httpDate: field) else { return nil }
    let (wait, overflow) = date.seconds.subtractingReportingOverflow(try now().seconds)
    return overflow ? nil : Int(max(0, wait))
  }
}
