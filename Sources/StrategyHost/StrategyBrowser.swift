public import Basics
public import HTTPClient
public import SecureMemory

/// A page that a plugin sends a person to, and what its redirect must look like.
public struct BrowserVisit: Sendable {
  /// How the redirect brings its parameters.
  public enum Response: String, Sendable {
    /// In its query.
    case query
    /// In its fragment, which only a page can read.
    case fragment
  }

  /// Where the redirect goes.
  public enum Redirect: Sendable {
    /// To a place of the browser's own, which is then added to the page's query as `redirect_uri`.
    case own
    /// To a place of this machine's that the server has chosen: an `http` URL of 127.0.0.1, ::1 or localhost.
    case given(HTTPURL)
  }

  /// The page, without `redirect_uri`.
  public let page: HTTPURL
  /// The `state` that is in the page's query, and that the redirect must repeat.
  public let state: String
  /// How the parameters come.
  public let response: Response
  /// Where they come to.
  public let redirect: Redirect
  /// Whether only a browser that can be opened will do; else the address may be shown, and what it leads to be pasted.
  public let needsBrowser: Bool

  /// A visit.
  public init(page: HTTPURL, state: String, response: Response, redirect: Redirect, needsBrowser: Bool) {
    self.needsBrowser = needsBrowser
    self.page = page
    self.state = state
    self.response = response
    self.redirect = redirect
  }
}

/// What a redirect brought. The values are secrets until somebody who knows them says otherwise.
public struct BrowserReturn {
  /// The parameters, decoded, in order, without `state`.
  public let parameters: [(name: String, value: SecureBox)]
  /// The `redirect_uri` that was used.
  public let redirectURI: String

  /// A return.
  public init(parameters: [(name: String, value: SecureBox)], redirectURI: String) {
    self.parameters = parameters
    self.redirectURI = redirectURI
  }
}

/// A person's browser, or the terminal in its place.
public protocol StrategyBrowser: AnyObject {
  /// Whether a visit reads the terminal, so that signals must act as they do there.
  var asksOnTerminal: Bool { get }
  /// Opens a page and waits for its redirect, until `deadline` or until one of the descriptors can be read. Throws
  /// ``FailureCode/cancelled`` when the person gives up or a descriptor was readable, ``FailureCode/signInNeeded`` when
  /// there is nobody or the time is up, ``FailureCode/notFound`` when the visit needs a browser and there is none.
  func visit(
    _ visit: BrowserVisit, until deadline: MonotonicInstant, cancellation: [Int32]
  ) throws(Failure) -> BrowserReturn
  /// Opens a page whose URL may hold a secret, and waits for nothing but the page to be on its way. False when there is no
  /// browser. Throws ``FailureCode/cancelled``.
  func open(_ page: SecureBox, until deadline: MonotonicInstant, cancellation: [Int32]) throws(Failure) -> Bool
}
