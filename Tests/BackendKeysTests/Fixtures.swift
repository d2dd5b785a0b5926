import BackendKeys
import BackendStore
import Basics
import Foundation
import JOSE
import SecureMemory
import TestSupport
import Vault

let day: Int64 = 86_400

/// A sealer of its own key file.
func sealer(_ byte: UInt8 = 7) throws -> Sealer { Sealer(.keyFile(try box([UInt8](repeating: byte, count: 32)))) }

func box(_ bytes: [UInt8]) throws -> SecureBox {
  let secret = try SecureBytes(count: bytes.count)
  secret.withMutableBytes { $0.copyBytes(from: bytes) }
  return SecureBox(secret)
}

/// A server's keys in a store of their own, started.
struct Server {
  let store: MemoryKeyStore
  let clock: TestClock
  let ring: KeyRing

  init(
    _ algorithm: JWSAlgorithm = .edDSA, store: MemoryKeyStore = MemoryKeyStore(), clock: TestClock = TestClock()
  ) throws {
    var settings = KeyRingSettings()
    settings.algorithm = algorithm
    self.store = store
    self.clock = clock
    ring = try KeyRing(store: store, sealer: try sealer(), settings: settings, clock: { clock.now })
    try ring.tick()
  }

  var now: Timestamp { clock.now }
  func keyID() throws -> String { try ring.signingKey(now: now).keyID }
  func jwks() throws -> JSONWebKeySet { try JSONWebKeySet(json: Array(try ring.jwks(now: now).json.utf8)) }

  func accessToken(_ change: (inout AccessTokenGrant) -> Void = { _ in }) throws -> IssuedToken {
    var grant = AccessTokenGrant(
      subject: "user_01", clientID: "mobile", audiences: ["api"], scopes: ["profile", "feed"], sessionID: "sess_01",
      deviceID: "dev_01", authTime: now)
    change(&grant)
    return try AccessTokenIssuer(issuer: issuer, keys: ring).issue(grant, now: now)
  }

  func idToken(_ change: (inout IDTokenGrant) -> Void = { _ in }) throws -> IssuedToken {
    var grant = IDTokenGrant(
      subject: "user_01", clientID: "mobile", authTime: now, nonce: "n-0S6", sessionID: "sess_01",
      scopes: ["openid", "profile"])
    change(&grant)
    return try IDTokenIssuer(issuer: issuer, keys: ring).issue(grant, now: now)
  }
}

let issuer = "https://auth.example.com"

/// A part of a compact token, read.
func part(_ token: String, _ index: Int) throws -> JSONValue {
  let parts = token.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count == 3, let bytes = Base64URL.decode(String(parts[index])) else { throw Failure(.bug, "no token") }
  return try JSONReader.value(bytes)
}

/// The failure of a call; nil when there is none.
func failure(_ body: () throws -> Void) -> FailureCode? {
  do { try body() } catch let error as Failure { return error.code } catch { return FailureCode("other", .bug) }
  return nil
}

/// A token with this header and payload that a key signs, whatever they say.
func forge(_ header: String, _ payload: String, by key: SigningKey?) throws -> String {
  let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
  guard let key else { return signed + "." }
  let signature = try Array(signed.utf8).withUnsafeBytes { try key.signature(of: $0) }
  return signed + "." + Base64URL.encode(signature)
}

private final class Shared<R>: @unchecked Sendable {
  var waiting = 0
  var results: [Int: Result<R, any Error>] = [:]
}

/// What `count` threads return that begin at the same moment.
func inParallel<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> R) throws -> [R] {
  let gate = NSCondition(), done = DispatchGroup()
  let shared = Shared<R>()
  for index in 0..<count {
    done.enter()
    Thread.detachNewThread {
      gate.lock()
      shared.waiting += 1
      gate.broadcast()
      while shared.waiting < count { gate.wait() }
      gate.unlock()
      let result = Result { try body(index) }
      gate.lock()
      shared.results[index] = result
      gate.unlock()
      done.leave()
    }
  }
  done.wait()
  return try (0..<count).compactMap { try shared.results[$0]?.get() }
}
