internal import Basics

extension Gateway {
  /// The setting that says where a user's profile is.
  static let profileSetting = "EXPO_PUBLIC_SG_PROFILE_DOC"

  /// Whose profile the app shows, as the user's own document at the gateway says (its member `employeeId`). The setting
  /// `EXPO_PUBLIC_SG_PROFILE_DOC` says which document: its id, `{user}` in it standing for the gateway's name of the user,
  /// perhaps behind `SCOPE.COLLECTION/`. Nil when the setting is absent, or the document or the member is. It never fails: a
  /// sign-in is good without it.
  public func employeeId(for session: SignIn.Session, _ call: Call, _ host: Host) -> String? {
    guard let place = call.settings[Gateway.profileSetting], !place.isEmpty else { return nil }
    do throws(StrategyError) {
      guard let user = try user(of: session, host) else { return nil }
      let parts = place.split(separator: "/", maxSplits: 1).map(String.init)
      guard let name = parts.last else { return nil }
      let keyspace = parts.count == 2 ? "." + Gateway.escape(parts[0]) : ""
      let id = Gateway.escape(Gateway.replaced("{user}", in: name, by: user))
      let cookie = try host.join(.text(session.cookieName), "=", .secret(session.id))
      let response = try host.send(
        HTTPRequest(
          "GET", "\(origin)/\(Gateway.escape(database))\(keyspace)/\(id)",
          headers: [("Cookie", .secret(cookie)), ("Accept", .text("application/json"))]))
      let member = response.status == 200 ? JSON(response.body)?["employeeId"] : nil
      switch member {
      case .string(let text)? where !text.isEmpty: return OutsideText.clean(text, limit: 256)
      case .number(let text)?: return text
      default: host.log(.info, "the gateway's profile of the user does not say the employee (HTTP \(response.status))")
      }
    } catch {
      host.log(.info, "the gateway's profile of the user cannot be read: \(error.message)")
    }
    return nil
  }

  private static func replaced(_ mark: String, in text: String, by value: String) -> String {
    var result = ""
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix(mark) {
        result += value
        rest = rest.dropFirst(mark.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
