public import Basics
internal import CLinux
internal import Glibc
internal import HTTPServer
public import SecureMemory

/// Waits on this machine for the redirect that ends a sign-in in the browser (RFC 8252 7.3): an address of 127.0.0.1 that
/// nobody else can reach, bound before the browser is opened.
///
/// The first redirect with the right state counts, and only that one. Whatever else comes, another state, a second
/// redirect, a scanner of ports, another site's script, is answered and changes nothing.
public final class RedirectListener: Sendable {
  /// What came to the redirect's address without the right state, or unreadable, and was not taken.
  public enum Stray: Sendable {
    /// Something that looks like an answer.
    case answer
    /// Something that says why there is none.
    case refusal
    /// Something that cannot be read: it is not UTF-8, too long, or has more parameters, or longer names, than a server ever
    /// sends.
    case unreadable
  }

  /// Where the redirect goes: `http://127.0.0.1:PORT/callback`.
  public let redirectURI: String
  /// Can be read once the redirect has come, or the page was fetched, or something strayed here.
  public let descriptor: Int32

  private let server: Server
  private let desk: RedirectDesk

  /// Listens on a port of 127.0.0.1, or of ::1 when `host` is `[::1]`; 0 is any free one. Throws ``FailureCode/exists``
  /// when somebody else listens there.
  public init(host: String = "127.0.0.1", port: UInt16 = 0, path: String = "/callback") throws(Failure) {
    var options = ServerOptions()
    options.address = host == "[::1]" ? "::1" : "127.0.0.1"
    options.port = port
    options.workers = 2
    options.queueLimit = 32
    options.connectionLimit = RedirectListener.connectionLimit
    // A browser on this machine sends a request in no time. What says nothing makes room soon.
    options.idleTimeout = 3
    options.requestTimeout = 3
    options.responseTimeout = 30
    options.bodyLimit = RedirectDesk.bodyLimit
    let desk = try RedirectDesk(path: path)
    let server: Server
    do throws(Failure) {
      server = try Server(options: options, handler: { desk.answer($0) }, onRefusal: { desk.refused(target: $0) })
    } catch {
      guard error.code == .exists else { throw error }
      throw Failure(
        .exists, "another program listens on port \(port), where the sign-in is to come back to",
        hint: "end it, or choose another port with --redirect-port")
    }
    let place = "\(host):\(server.port)"
    desk.open(at: place)
    self.server = server
    self.desk = desk
    descriptor = desk.descriptor
    redirectURI = "http://\(place)\(path)"
  }

  deinit { server.stop(grace: 1) }

  // So many that a scanner of ports does not keep the browser out by what it leaves open; of what this process may open at
  // all, half is left for the rest of the sign-in.
  private static var connectionLimit: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 128 }
    return max(16, Int(clamping: min(limit.rlim_cur / 2, 1_024)))
  }

  /// Begins to wait for the redirect with a state. With `inFragment` a page reads the parameters from the fragment and
  /// hands them over.
  public func expect(state: String, inFragment: Bool) { desk.expect(state: state, inFragment: inFragment) }

  /// An address of this listener's that leads to another, once. It can stand where others read it; the other cannot.
  public func cover(_ address: SecureBox) throws(Failure) -> String { try desk.cover(address) }

  /// What the redirect brought, without its state; nil until it has come.
  public func takeParameters() -> [(name: String, value: SecureBox)]? { desk.takeParameters() }

  /// What came without the right state since this was asked; nil for nothing.
  public func takeStray() -> Stray? { desk.takeStray() }

  /// Whether the covered address was fetched.
  public var wasFetched: Bool { desk.wasFetched }
}
