public import Basics
internal import Glibc
internal import HTTPClient
public import SecureMemory

/// Sends one request with the credential of the session. When it is refused (401), the session is refreshed once - once for
/// all that ask at the same time, in whatever process - and the request is sent once more.
public struct SessionFetch {
  /// What to send.
  public struct Request {
    /// The method: GET, HEAD, POST, PUT, PATCH or DELETE.
    public var method: String
    /// Where to.
    public var url: String
    /// Fields of the request's own, in order.
    public var fields: [(name: String, value: String)] = []
    /// The body; nil for none.
    public var body: SecureBox?
    /// The most bytes of the answer's body.
    public var limit = 64 << 20
    /// The most seconds that the exchange may take.
    public var seconds = 300

    /// A request without a body.
    public init(_ method: String, _ url: String) {
      self.method = method
      self.url = url
    }
  }

  /// What came back.
  public struct Answer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// What the body is, as its server says; nil when it does not.
    public let contentType: String?
    /// Why the answer is not what was asked for; nil for a 2xx.
    public let failure: Failure?
  }

  private let configuration: SessionConfiguration
  private let service: () throws(Failure) -> SessionService
  private let client: HTTPClient
  private let cancellation: [Int32]

  /// A fetch for these settings. `service` makes the service of the profile's vault, anew for each thing that is done.
  public init(
    configuration: SessionConfiguration, cancellation: [Int32] = [],
    service: @escaping () throws(Failure) -> SessionService
  ) {
    self.configuration = configuration
    self.service = service
    self.cancellation = cancellation
    client = HTTPClient()
  }

  /// Checks a request without sending anything. Throws ``FailureCode/usage`` for a URL that no credential may go to, and for a
  /// field that is not the caller's to set.
  public static func check(_ request: Request, for configuration: SessionConfiguration) throws(Failure) {
    _ = try target(of: request, configuration)
  }

  /// Sends a request. The body of the answer that counts goes to `output` as it comes. Throws
  /// as ``check(_:for:)`` does, what the session's own refresh failed with, and ``FailureCode/network`` or
  /// ``FailureCode/serverRefused`` when there is no answer.
  public func send(
    _ request: Request, to output: any FetchOutput
  ) throws(Failure) -> Answer {
    let target = try SessionFetch.target(of: request, configuration)
    // A session that has ended is not worth a request; a refresh of its own is the one that there may be.
    let first = try service()
    try checkUsable(try first.restore())
    guard let credential = try first.credential(asBearer: target.isBearer) else { throw missing(target) }
    let isPatient = target.isBearer && first.hasValidToken
    var answer = try exchange(request, target, credential, keeping401: first.hasRefreshed && !isPatient, output)
    if answer.status == 401, isPatient {
      // A gateway says the same when it could not reach the provider just then.
      try pause()
      answer = try exchange(request, target, credential, keeping401: first.hasRefreshed, output)
    }
    guard answer.status == 401, !first.hasRefreshed else { return answer }
    let second = try service()
    try checkUsable(try second.replace(credential))
    guard let renewed = try second.credential(asBearer: target.isBearer) else { throw missing(target) }
    return try exchange(request, target, renewed, keeping401: true, output)
  }

  // Before a token that is good by its own time is sent once more.
  private func pause() throws(Failure) {
    let end = MonotonicInstant.now().advanced(byMilliseconds: SessionFetch.patience)
    while end.millisecondsLeft > 0 {
      var entries = cancellation.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard unsafe poll(&entries, nfds_t(entries.count), end.millisecondsLeft) <= 0 else {
        throw Failure(.cancelled, "cancelled")
      }
    }
  }

  private static let patience: Int64 = 2_000

  private struct Target {
    let url: HTTPURL
    let method: HTTPRequest.Method
    let isBearer: Bool
  }

  private static func target(
    of request: Request, _ configuration: SessionConfiguration
  ) throws(Failure) -> Target {
    let shown = OutsideText.clean(request.url, limit: 120)
    guard let method = HTTPRequest.Method(rawValue: request.method) else {
      throw Failure(.usage, "'\(OutsideText.clean(request.method, limit: 20))' is not a method to send")
    }
    guard let url = HTTPURL(request.url) else {
      throw Failure(
        .usage, "'\(shown)' is not an absolute http or https URL",
        hint: "write it in full, without user name and fragment")
    }
    for (name, value) in request.fields { try check(name, value) }
    let origin = url.origin.description
    guard url.origin.scheme == "https" || url.isLoopback else {
      throw Failure(.usage, "\(origin) is not https: everyone on the way could read the credential")
    }
    if origin == configuration.binding.gateway, !configuration.isLocal {
      return Target(url: url, method: method, isBearer: configuration.presentsBearer)
    }
    guard configuration.origins.contains(origin), !configuration.isLocal else {
      throw Failure(
        .usage, "no credential goes to \(origin)",
        hint: configuration.isLocal
          ? "strategy \(configuration.strategy) has no server, and so no credential"
          : "the session's goes to \(configuration.binding.gateway ?? "its gateway"), the ID token to the origins that the "
            + "settings name")
    }
    return Target(url: url, method: method, isBearer: true)
  }

  private static func check(_ name: String, _ value: String) throws(Failure) {
    let isName = (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(SessionText.isCookieName)
    guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw Failure(.usage, "'\(OutsideText.clean(name, limit: 60))' cannot be sent as a header")
    }
    guard !["authorization", "cookie"].contains(name.lowercased()) else {
      throw Failure(.usage, "the header \(OutsideText.clean(name)) is the session's own", hint: "leave it out")
    }
  }

  private func checkUsable(_ report: SessionService.Report) throws(Failure) {
    if let failure = report.failure { throw failure }
  }

  private func missing(_ target: Target) -> Failure {
    target.isBearer
      ? Failure(
        .usage, "there is no ID token to show to \(target.url.origin)",
        hint: "strategy \(configuration.strategy) got none at sign-in")
      : Failure(.signInNeeded, "there is no session to show", hint: "run 'mfsctl session login'")
  }

  private func exchange(
    _ request: Request, _ target: Target, _ credential: SessionCredential, keeping401: Bool,
    _ output: any FetchOutput
  ) throws(Failure) -> Answer {
    let (name, value) = try credential.field()
    var outgoing = HTTPRequest(target.method, target.url, body: request.body)
    outgoing.fields = request.fields.map { HTTPRequest.Field($0.name, $0.value) } + [.init(name, secret: value)]
    var client = client
    client.bodyLimit = request.limit
    client.timeout = max(1, min(request.seconds, 86_400)) * 1_000
    let taker = OutputTaker(output, keeping401: keeping401)
    let response: HTTPResponse
    do throws(HTTPFailure) {
      response = try client.send(outgoing, cancellation: cancellation, taker: taker)
    } catch {
      if let failure = taker.failure { throw failure }
      guard error.kind == .tooLarge else { throw error.failure }
      throw Failure(
        .network, "the answer of \(target.url.origin) is larger than \(request.limit) bytes, and was cut there",
        hint: "allow for more with --limit")
    }
    return Answer(
      status: response.status, contentType: response.text("content-type").map { OutsideText.clean($0) },
      failure: SessionFetch.failure(response, target, wasRenewed: keeping401))
  }

  private static func failure(_ response: HTTPResponse, _ target: Target, wasRenewed: Bool) -> Failure? {
    let said = "\(target.url.origin) answered HTTP \(response.status)"
    switch response.status {
    case 200..<300: return nil
    case 300..<400:
      let place = response.text("location").flatMap { HTTPOrigin(of: $0)?.description } ?? "another address"
      return Failure(
        .serverRefused, "\(said), a redirect to \(place), which is not followed",
        hint: "give that address itself, if the credential may go there")
    case 401 where wasRenewed:
      return Failure(
        .credentialsRejected, "\(said), to a new credential too", hint: "the session is kept; ask who runs that server")
    case 401: return Failure(.credentialsRejected, said)
    case 408, 425, 429, 500...:
      let wait = response.text("retry-after").flatMap { Int($0) }.map { "try again in \($0) s" }
      return Failure(.network, said, hint: wait ?? "try again later")
    default: return Failure(.serverRefused, said, hint: "check the address and the method")
    }
  }
}

/// Where the body of an answer goes.
public protocol FetchOutput: AnyObject {
  /// Takes a piece of the body; the bytes are lent. Throws to end the transfer.
  func take(_ bytes: UnsafeRawBufferPointer) throws(Failure)
}

private final class OutputTaker: HTTPBodyTaker {
  private let output: any FetchOutput
  private let keeping401: Bool
  private(set) var failure: Failure?

  init(_ output: any FetchOutput, keeping401: Bool) {
    self.output = output
    self.keeping401 = keeping401
  }

  func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool {
    // What comes with a refusal that is answered by a refresh is nobody's answer.
    if status == 401, !keeping401 { return true }
    do throws(Failure) { try unsafe output.take(bytes) } catch { failure = error }
    return failure == nil
  }
}
