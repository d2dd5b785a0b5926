public import Basics

// What a terminal shows of a session while it is watched.
extension SessionStatus {
  /// One line of at most so many columns: who is signed in, what is left of the session and of the ID token, and in how many
  /// seconds the next refresh is, nil for none. What a narrow terminal has no room for goes in this order: the word `in`, the
  /// state where a name says it as well, the end of the name. The times are whole at 80 columns.
  public func liveLine(refreshIn left: Int64?, at now: Timestamp, columns: Int) -> String {
    let moments: [(String, Timestamp?)] = [
      ("session", sessionExpiresAt), ("ID token", idTokenExpiresAt), ("refresh", left.map { now.advanced(by: $0) }),
    ]
    let clocks: [(String, String)] = moments.compactMap { what, moment in
      moment.map { (what, SessionStatus.distance(from: now, to: $0)) }
    }
    let name = identifier.map { OutsideText.clean($0, limit: 30) }
    let long = ([words(name)] + clocks.map { "\($0) \($1)" }).joined(separator: " | ")
    if long.count <= columns { return long }
    let short = clocks.map { "\($0) \($1.hasPrefix("in ") ? String($1.dropFirst(3)) : $1)" }.joined(separator: " | ")
    let room = columns - short.count - (clocks.isEmpty ? 0 : 3)
    var heads = [words(name)]
    if state == .signedIn, let name {
      heads.append(name)
      // Who it is says more than that somebody is.
      if room > 6 { heads.append("\(name.prefix(room - 1))\u{2026}") }
    }
    let head = (heads + [words(nil)]).first { $0.count <= room } ?? ""
    return String([head, short].filter { !$0.isEmpty }.joined(separator: " | ").prefix(max(0, columns)))
  }

  private func words(_ name: String?) -> String {
    let who = name.map { " as \($0)" } ?? ""
    return switch state {
    case .signedIn: "signed in\(who)"
    case .offline: "no session\(who)"
    case .signedOut: "signed out"
    case .signInNeeded: "sign-in needed"
    }
  }
}
