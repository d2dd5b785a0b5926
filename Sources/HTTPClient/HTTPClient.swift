internal import Basics
internal import CCurl
internal import Glibc

/// Sends HTTP requests, one at a time, over libcurl.
///
/// It does what it is told and nothing beside: no redirect is followed, no cookie is kept, no `.netrc` is read, no
/// content coding is undone, and only HTTP/1.1 over TCP or TLS 1.2 and later is spoken. Nothing is sent but the request's
/// own fields, `Host`, `Accept: */*` unless given, and `User-Agent`: see ``agent``.
public struct HTTPClient: Sendable {
  /// Whether a proxy stands between.
  public enum Proxy: Sendable {
    /// None, whatever the environment says: over plain http a proxy would see the credentials.
    case none
    /// As `http_proxy`, `https_proxy` and `no_proxy` say.
    case environment
  }

  /// Which addresses are connected to.
  public enum Addresses: Sendable {
    /// All.
    case any
    /// Those of the public internet alone, so that nobody who chooses a URL, or what its host's name means, can reach this
    /// machine or its network. What counts is the address at the moment of connecting. Through a proxy it is the proxy's.
    case publicOnly
  }

  /// What calls itself by `User-Agent`: the program that asks (RFC 9110 10.1.5).
  public var agent = "mfsctl"
  /// The most milliseconds until the connection stands.
  public var connectTimeout = 10_000
  /// The most milliseconds for a whole exchange.
  public var timeout = 30_000
  /// The largest body in bytes; a longer one ends the transfer.
  public var bodyLimit = 1 << 20
  /// The most bytes of status lines and header fields together.
  public var headerLimit = 64 << 10
  /// A PEM file of the only authorities to trust; nil for the system's.
  public var authorities: String?
  /// Whether a proxy is used.
  public var proxy = Proxy.none
  /// Which addresses are connected to.
  public var addresses = Addresses.any

  /// A client with the limits above.
  public init() {}

  /// Sends a request and waits for its response. It gives up at once when one of the open descriptors
  /// `cancellation` can be read or is hung up.
  /// With `taker`, each piece of the body goes there and the response's own body is empty. The limit on the body counts all
  /// the same.
  public func send(
    _ request: HTTPRequest, cancellation: [Int32] = [], taker: (any HTTPBodyTaker)? = nil
  ) throws(HTTPFailure) -> HTTPResponse {
    guard HTTPClient.isStarted else { throw HTTPFailure(.request, "libcurl does not start") }
    // libcurl is told to leave signals alone (CURLOPT_NOSIGNAL), so a server that hangs up must not raise SIGPIPE here.
    let guarded = BrokenPipeGuard()
    defer { guarded.end() }
    let transfer = try Transfer(request, client: self, taker: taker)
    return try transfer.run(cancellation: cancellation)
  }

  /// Asks the server to speak another protocol on the connection, named as `Upgrade` names it (RFC 9110 7.8), and waits for
  /// its answer: a `GET` with `Connection: Upgrade` beside the request's own fields. TLS, authorities, proxy and limits are as
  /// for ``send(_:cancellation:)``.
  public func upgrade(
    _ request: HTTPRequest, to name: String, cancellation: [Int32] = []
  ) throws(HTTPFailure) -> HTTPUpgrade {
    guard HTTPClient.isStarted else { throw HTTPFailure(.request, "libcurl does not start") }
    let guarded = BrokenPipeGuard()
    defer { guarded.end() }
    let connection = try HTTPConnection(request, client: self, cancellation: cancellation)
    return try UpgradeExchange(connection, request, client: self).run(name, cancellation: cancellation)
  }

  // Once per process, at the first request: it starts OpenSSL, which takes milliseconds.
  private static let isStarted = ccurl_start() == CURLE_OK
}

/// Takes the body of a response as it comes.
public protocol HTTPBodyTaker: AnyObject {
  /// Takes a piece of the body of a response of that status; the bytes are lent. False ends the transfer as
  /// ``HTTPFailure/Kind/cancelled``.
  func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool
}

/// Blocks SIGPIPE in this thread while it stands, and swallows one that was raised meanwhile.
struct BrokenPipeGuard {
  private var before = sigset_t()
  private var wasPending = false

  init() {
    var signals = sigset_t(), pending = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe sigpending(&pending)
    wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
  }

  func end() {
    var signals = sigset_t(), mask = before
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    var now = timespec()
    if !wasPending { while unsafe sigtimedwait(&signals, nil, &now) == SIGPIPE {} }
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
