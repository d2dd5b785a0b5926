import AuthBackend
import Basics
import HTTPServer
import JOSE

/// A provider of ID tokens: it signs what a test wants and publishes its keys, and counts how often it is asked for them.
final class ProviderDouble: Sendable {
  static let issuer = "https://id.example.net"

  let identity: IdentityProvider
  let key: SigningKey
  private let server: Server
  private let clock: @Sendable () -> Timestamp
  private let state: Monitor<(keys: [SigningKey], status: Int, fetches: Int)>

  init(clock: @escaping @Sendable () -> Timestamp) throws {
    let key = try SigningKey.generate(.es256)
    let state = Monitor<(keys: [SigningKey], status: Int, fetches: Int)>(([key], 200, 0))
    server = try Server { _ in
      let (keys, status) = state.withLock { state in
        state.fetches += 1
        return (state.keys, state.status)
      }
      return ServerResponse(status: status, text: JSONWebKeySet(keys.map(\.publicKey)).json.text)
    }
    (self.key, self.clock, self.state) = (key, clock, state)
    identity = IdentityProvider(
      name: "maker", issuers: [ProviderDouble.issuer, "id.example.net"], keysURL: server.origin + "/keys")
  }

  deinit { server.stop(grace: 0) }

  var fetches: Int { state.withLock { $0.fetches } }
  func publish(_ keys: [SigningKey]) { state.withLock { $0.keys = keys } }
  func answer(_ status: Int) { state.withLock { $0.status = status } }

  /// A token for `web.app` that is right; claims are set, or left out by null.
  func token(
    _ changes: [String: JSONValue] = [:], by key: SigningKey? = nil, type: String? = "JWT"
  ) throws -> String {
    let now = clock().seconds
    var claims: [String: JSONValue] = [
      "iss": .string(ProviderDouble.issuer), "sub": "carol-at-maker", "aud": "web.app", "iat": .integer(now),
      "exp": .integer(now + 3_600), "nonce": "n-1",
    ]
    for (name, value) in changes { claims[name] = value }
    claims = claims.filter { $0.value != .null }
    let members = claims.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    let signed = try (key ?? self.key).sign(claims: .object(members), type: type)
    return signed.publicText() ?? ""
  }
}
