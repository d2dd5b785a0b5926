public import Basics
public import Browser
internal import Glibc
internal import HTTPClient
public import SecureMemory
public import StrategyHost

/// Signs a person in through their browser, with a listener on this machine that its redirect comes to. Without a browser
/// the address is said, for them to open; on a terminal they can paste the address that it ends at, if it is not on this machine.
public final class SessionBrowser: StrategyBrowser {
  /// Asks the person for an address; nil once the closure says that there is no need to. It is asked that when one of the
  /// descriptors can be read, and once a second.
  public typealias Paste = (String, [Int32], () throws(Failure) -> Bool) throws(Failure) -> SecureBytes?

  /// Whether a visit reads the terminal.
  public var asksOnTerminal: Bool { launcher == nil && paste != nil }

  private let launcher: BrowserLauncher?
  private let port: UInt16
  private let say: (String) -> Void
  private let paste: Paste?

  /// A browser. `launcher` is nil when none is to be opened; `port` is the listener's, 0 for any free one; `say` tells the
  /// person something; `paste` asks them for the address, and is nil without a terminal.
  public init(
    launcher: BrowserLauncher?, port: UInt16, say: @escaping (String) -> Void,
    paste: Paste?
  ) {
    self.launcher = launcher
    self.port = port
    self.say = say
    self.paste = paste
  }

  /// Opens the page and waits for its redirect, as ``StrategyBrowser/visit(_:until:cancellation:)`` says.
  public func visit(
    _ visit: BrowserVisit, until deadline: MonotonicInstant, cancellation: [Int32]
  ) throws(Failure) -> BrowserReturn {
    if visit.needsBrowser, launcher?.isAvailable != true { throw .noBrowser }
    let listener = try listener(for: visit)
    let page = try page(visit, listener)
    listener.expect(state: visit.state, inFragment: visit.response == .fragment)
    guard let launcher, let browser = try launcher.open(listener.cover(try SecureBox(copying: page))) else {
      if visit.needsBrowser { throw .noBrowser }
      say("Open this page to sign in:\n\n  \(page)\n")
      if launcher == nil, let paste { return try pasted(visit, listener, paste, until: deadline, cancellation) }
      return try wait(for: listener, nil, page, visit, until: deadline, cancellation)
    }
    // Providers that match the port show their refusal in the browser only, and not always in words that tell why.
    if case .own = visit.redirect, port == 0 {
      say(
        "Sign in in the browser. If the provider's page refuses the address \(listener.redirectURI), register one there and "
          + "give its port as --redirect-port.")
    }
    return try wait(for: listener, browser, page, visit, until: deadline, cancellation)
  }

  /// Opens a page by way of a cover, since its own address may hold a token.
  public func open(_ page: SecureBox, until deadline: MonotonicInstant, cancellation: [Int32]) throws(Failure) -> Bool {
    guard let launcher, launcher.isAvailable else { return false }
    let listener = try RedirectListener()
    guard let browser = try launcher.open(listener.cover(page)) else { return false }
    // A browser that has not asked by then will not.
    let end = min(deadline, MonotonicInstant.now().advanced(bySeconds: 20))
    while !listener.wasFetched {
      guard try SessionBrowser.poll(listener.descriptor, until: end, cancellation), !browser.hasFailed else {
        return listener.wasFetched
      }
    }
    return true
  }

  private func listener(for visit: BrowserVisit) throws(Failure) -> RedirectListener {
    guard case .given(let place) = visit.redirect else { return try RedirectListener(port: port) }
    let path = place.target.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
    do throws(Failure) {
      return try RedirectListener(host: place.origin.host, port: place.origin.port, path: path)
    } catch {
      guard error.code == .exists else { throw error }
      throw Failure(
        .exists, "another program listens on port \(place.origin.port), where the server has the sign-in come back to",
        hint: "end it, or have the server come back to another port")
    }
  }

  private func page(_ visit: BrowserVisit, _ listener: RedirectListener) throws(Failure) -> String {
    guard case .own = visit.redirect else { return visit.page.description }
    // The listener's address has nothing in it but these two that a query must escape.
    let redirect = listener.redirectURI.map { $0 == ":" ? "%3A" : $0 == "/" ? "%2F" : String($0) }.joined()
    return "\(visit.page)\(visit.page.target.contains("?") ? "&" : "?")redirect_uri=\(redirect)"
  }

  private func wait(
    for listener: RedirectListener, _ browser: LaunchedBrowser?, _ page: String, _ visit: BrowserVisit,
    until deadline: MonotonicInstant, _ cancellation: [Int32]
  ) throws(Failure) -> BrowserReturn {
    var hasSaid = browser == nil, hasSaidStray = false
    while true {
      if let parameters = listener.takeParameters() {
        return BrowserReturn(parameters: parameters, redirectURI: listener.redirectURI)
      }
      if !hasSaidStray, let stray = listener.takeStray() {
        say(SessionBrowser.text(of: stray))
        hasSaidStray = true
      }
      guard MonotonicInstant.now() < deadline else { throw .nobodySignedIn }
      if let browser, !hasSaid, !listener.wasFetched, browser.hasFailed {
        if visit.needsBrowser { throw .noBrowser }
        say("The browser did not open. Open this page to sign in:\n\n  \(page)\n")
        hasSaid = true
      }
      _ = try SessionBrowser.poll(listener.descriptor, until: deadline, cancellation)
    }
  }

  // It may be the provider's own, from one that forgets the state; but anybody can send such a thing here (RFC 6749 10.12).
  private static func text(of stray: RedirectListener.Stray) -> String {
    switch stray {
    case .refusal:
      "The browser came back with an error that does not name this sign-in: its 'state' is missing or another one. It was "
        + "not taken, since anybody could have sent it. If you refused the sign-in, end this with Ctrl-C."
    case .answer:
      "The browser came back with an answer that does not name this sign-in: its 'state' is missing or another one. It was "
        + "not taken, and this waits on for the right one; Ctrl-C ends it."
    case .unreadable:
      "The browser came back with an answer that cannot be read: it is not UTF-8, too long, or has too many parameters. It "
        + "was not taken, since anybody could have sent it, and this waits on for a right one; Ctrl-C ends it."
    }
  }

  /// Waits for the listener, `longest` milliseconds at most; false when the time is up.
  private static func poll(
    _ descriptor: Int32, until end: MonotonicInstant, _ cancellation: [Int32], longest: Int32 = 1_000
  ) throws(Failure) -> Bool {
    let left = end.millisecondsLeft
    guard left > 0 else { return false }
    var entries = ([descriptor] + cancellation).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), min(left, longest))
    if entries.dropFirst().contains(where: { $0.revents != 0 }) {
      throw Failure(.cancelled, "cancelled while the browser was open")
    }
    if entries[0].revents != 0 {
      var count: UInt64 = 0
      _ = unsafe read(descriptor, &count, 8)
    }
    return true
  }

  private func pasted(
    _ visit: BrowserVisit, _ listener: RedirectListener, _ paste: Paste, until deadline: MonotonicInstant,
    _ cancellation: [Int32]
  ) throws(Failure) -> BrowserReturn {
    let redirectURI = listener.redirectURI
    var wrong = 0
    while true {
      var returned: [(name: String, value: SecureBox)]?
      var stray: RedirectListener.Stray?
      let question =
        "Paste the address that the browser ends at, if it is on another machine (it begins with \(redirectURI))"
      let answer = try paste(question, [listener.descriptor] + cancellation) { () throws(Failure) in
        guard try SessionBrowser.poll(listener.descriptor, until: deadline, cancellation, longest: 0) else {
          throw .nobodySignedIn
        }
        returned = listener.takeParameters()
        stray = listener.takeStray()
        return returned != nil || stray != nil
      }
      if let returned { return BrowserReturn(parameters: returned, redirectURI: redirectURI) }
      guard let answer else {
        if let stray { say(SessionBrowser.text(of: stray)) }
        continue
      }
      if let parameters = RedirectParameters(pasted: answer, redirectURI: redirectURI), parameters.hasState(visit.state)
      {
        return BrowserReturn(parameters: parameters.fields, redirectURI: redirectURI)
      }
      wrong += 1
      guard wrong < 3 else {
        throw Failure(.signInNeeded, "no address of this sign-in was given", hint: "run 'mfsctl session login' again")
      }
      say("That is not the address that this sign-in ends at.")
    }
  }
}

extension Failure {
  /// There is no browser, and the sign-in needs one.
  fileprivate static var noBrowser: Failure { Failure(.notFound, "there is no browser to open here") }
  fileprivate static var nobodySignedIn: Failure {
    Failure(.signInNeeded, "nobody signed in within the time", hint: "run 'mfsctl session login' again")
  }
}

extension SecureBox {
  fileprivate convenience init(copying text: String) throws(Failure) { self.init(try SecureBytes(publicText: text)) }
}
