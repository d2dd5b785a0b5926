import Basics
import Foundation
import HTTPClient
import JOSE
import SecureMemory
import TestSupport
import Testing

// As docs/JOSE.md has it.
private func fetch(_ url: HTTPURL) throws(Failure) -> FetchedKeys {
  do throws(HTTPFailure) {
    let answer = try HTTPClient().send(HTTPRequest(.get, url))
    guard answer.status == 200 else { throw HTTPFailure(.network, "\(url.origin) answered \(answer.status)") }
    return FetchedKeys(answer.body.withBytes { Array($0) }, cacheControl: answer.text("Cache-Control"))
  } catch { throw error.failure }
}

@Suite("A resource server with an issuer on the network")
struct ResourceServerTests {
  @Test("fetches the issuer's keys, takes its tokens, follows its rotation, and outlives its absence")
  func wholeWay() throws {
    let sandbox = try Sandbox()
    let script = try #require(Bundle.module.url(forResource: "Peer/issuer", withExtension: "py")).path
    let file = try sandbox.write("jwks.json", set(Keys.es256).json.text)
    var server: PythonServer? = try PythonServer(script: script, arguments: [file])
    let port = try #require(server?.port)
    let url = try #require(HTTPURL("http://127.0.0.1:\(port)/jwks.json"))
    let clock = Clock()
    let keys = JWKSCache(clock: { clock.now }, fetch: { () throws(Failure) in try fetch(url) })
    let validator = AccessTokenValidator(issuer: "https://login.example.com", audience: "https://api.example.com")

    func user(_ token: borrowing SecureBytes) -> String {
      do throws(TokenRefusal) {
        let access = try validator.validate(token, keys: keys, now: clock.now)
        return access.scopes.contains("read") ? access.subject : "no scope"
      } catch { return error.reason.name }
    }
    func token(by key: SigningKey) throws -> SecureBytes {
      try key.sign(
        claims: [
          "iss": "https://login.example.com", "aud": "https://api.example.com", "sub": "alice", "client_id": "app",
          "jti": "1", "iat": .number(clock.now.seconds), "exp": .number(clock.now.seconds + 300), "scope": "read write",
        ], type: "at+jwt")
    }
    #expect(user(try token(by: Keys.es256)) == "alice")
    #expect(user(try secret("not.a.token")) == "form")
    try sandbox.write("jwks.json", set(Keys.es256, Keys.edDSA).json.text)
    #expect(user(try token(by: Keys.edDSA)) == "unknown-key")
    clock.pass(60)
    #expect(user(try token(by: Keys.edDSA)) == "alice")
    server = nil
    clock.pass(600)
    #expect(user(try token(by: Keys.edDSA)) == "alice")
    clock.pass(JWKSCache.staleAge)
    #expect(user(try token(by: Keys.edDSA)) == "keys-unavailable")
    _ = server
  }

  @Test("docs/JOSE.md names each refusal, and no other")
  func documented() throws {
    let page = try String(contentsOfFile: "\(Programs.checkout)/docs/JOSE.md", encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let names = rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
    #expect(names.sorted() == TokenRefusal.Reason.all.map(\.name).sorted())
  }
}

private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds: Int64 = 1_800_000_000

  var now: Timestamp { lock.withLock { Timestamp(seconds: seconds) } }
  func pass(_ seconds: Int64) { lock.withLock { self.seconds += seconds } }
}
