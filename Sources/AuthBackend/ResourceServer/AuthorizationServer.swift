public import Basics
public import HTTPClient
public import JOSE
public import SecureMemory

// The credentials' memory is not written after `init`, so that threads may use it at once.

/// The authorization server as a resource server in another process sees it: where the keys are that tokens are verified by, and which
/// tokens are denied before they are over.
///
/// ```swift
/// let server = try AuthorizationServer(issuer: "https://auth.example.com", name: "orders", secret: secret)
/// let verifier = ResourceVerifier(
///   issuer: server.issuer, audience: "api", keys: server.keys(), denials: server.denials())
/// ```
public final class AuthorizationServer: @unchecked Sendable {
  /// Its issuer.
  public let issuer: String

  private let base: String
  private let credentials: SecureBox
  private let client: HTTPClient
  private let known = Monitor<Known?>(nil)

  // The last list, and the tag of its first part, which stays while all of the list does.
  private struct Known {
    let tag: String
    let denied: [String: Timestamp]
  }

  /// The server of an issuer. `name` and `secret` are what `mfs-authd resource add` registered and printed. It is asked at `address`
  /// where that is given, such as one within a network: what stands in place of the issuer before the paths. `client` has limits,
  /// authorities and addresses; no redirect is followed.
  ///
  /// Throws ``FailureCode/configuration`` for a place to ask at that is neither https nor on loopback, and ``FailureCode/outOfMemory``.
  public init(
    issuer: String, address: String? = nil, name: String, secret: SecureBox,
    client: HTTPClient = AuthorizationServer.usualClient
  ) throws(Failure) {
    let base = address ?? issuer
    guard let url = HTTPURL(base), url.origin.scheme == "https" || url.isLoopback, !base.hasSuffix("/"),
      !base.contains("?")
    else {
      throw Failure(
        .configuration, "the authorization server '\(OutsideText.clean(base, limit: 200))' cannot be asked",
        hint: "give https://HOST or https://HOST/PATH, as the server's own configuration has it")
    }
    self.issuer = issuer
    self.base = base
    self.client = client
    credentials = try BasicField.value(name: name, secret: secret)
  }

  /// Up to 5 seconds for an exchange: who verifies a token waits for it.
  public static var usualClient: HTTPClient {
    var client = HTTPClient()
    client.agent = "mfs-resource-server"
    (client.connectTimeout, client.timeout) = (5_000, 5_000)
    return client
  }

  /// Its keys, fetched when they are needed; see ``JOSE/JWKSCache`` for how seldom that is.
  public func keys(clock: @escaping @Sendable () -> Timestamp = { .now() }) -> JWKSCache {
    JWKSCache(clock: clock) { () throws(Failure) in
      let response = try self.get("/.well-known/jwks.json", [])
      guard response.status == 200 else { throw self.unexpected(response.status, "keys") }
      let bytes = unsafe response.body.withBytes { unsafe Array($0) }
      return FetchedKeys(bytes, cacheControl: response.text("Cache-Control"))
    }
  }

  /// Which access tokens are denied; see ``DenialList/init(freshSeconds:staleSeconds:waitSeconds:fetch:)`` for what the times mean.
  public func denials(freshSeconds: Int64 = 5, staleSeconds: Int64 = 60) -> DenialList {
    DenialList(freshSeconds: freshSeconds, staleSeconds: staleSeconds) { _ throws(Failure) in try self.denied() }
  }

  /// Every id that is denied now, with when that ends. Throws ``FailureCode/network``, and ``FailureCode/serverRefused`` for an answer
  /// that is not one, such as that the secret is wrong.
  public func denied() throws(Failure) -> [String: Timestamp] {
    let before = known.withLock(wake: .nobody) { $0 }
    var all: [String: Timestamp] = [:], after: String?, tag: String?
    repeat {
      let fields = after == nil ? before.map { [HTTPRequest.Field("If-None-Match", $0.tag)] } ?? [] : []
      let query = after.map { "?after=" + $0 } ?? ""
      let response = try get("/oauth/denials" + query, fields + [.init("Authorization", secret: credentials)])
      if response.status == 304, after == nil, let before { return before.denied }
      guard response.status == 200 else { throw unexpected(response.status, "denials") }
      let page = try DenialPage(response.body)
      guard page.next.map({ isName($0) && isAfter($0, after) && page.denied[$0] != nil }) ?? true,
        all.count <= AuthorizationServer.denialLimit
      else { throw unexpected(response.status, "denials") }
      all.merge(page.denied) { max($0, $1) }
      if after == nil { tag = response.text("ETag") }
      after = page.next
    } while after != nil
    let known = tag.map { Known(tag: $0, denied: all) }
    self.known.withLock(wake: .nobody) { $0 = known }
    return all
  }

  // More than these, and no list is better than one that takes all memory: then no token is taken.
  private static let denialLimit = 2_000_000

  private func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }

  // Parts come in the order of their ids' bytes, and what the next one comes after is in the part: otherwise the reading might never end.
  private func isAfter(_ next: String, _ after: String?) -> Bool {
    after.map { $0.utf8.lexicographicallyPrecedes(next.utf8) } ?? true
  }

  private func get(_ path: String, _ fields: [HTTPRequest.Field]) throws(Failure) -> HTTPResponse {
    guard let url = HTTPURL(base + path) else {
      throw Failure(.configuration, "the authorization server cannot be asked")
    }
    let request = HTTPRequest(.get, url, fields: [.init("Accept", "application/json")] + fields)
    do throws(HTTPFailure) { return try client.send(request) } catch { throw error.failure }
  }

  private func unexpected(_ status: Int, _ what: String) -> Failure {
    Failure(
      .serverRefused, "\(OutsideText.clean(base, limit: 200)) answered the question for its \(what) with \(status)",
      hint: status == 401 ? "are name and secret those that 'mfs-authd resource add' registered?" : nil)
  }
}
