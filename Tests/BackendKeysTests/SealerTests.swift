import BackendStore
import Basics
import Foundation
import JOSE
import SecureMemory
import TestSupport
import Testing
import Vault

@testable import BackendKeys

@Suite("Sealed keys")
struct SealerTests {
  /// Each form in which 8 or more bytes of a secret could show.
  private func traces(_ secret: borrowing SecureBytes) -> [[UInt8]] {
    let bytes = secret.withBytes { Array($0) }
    var found: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count - 7, by: 4) {
      let piece = Array(bytes[start..<start + 8])
      found.append(piece)
      found.append(Array(piece.map { String(format: "%02x", $0) }.joined().utf8))
      found.append(Array(piece.map(String.init).joined(separator: ", ").utf8))
    }
    for shift in 0..<3 {
      // Base64 of bytes has three forms, by where they begin.
      let whole = Base64URL.encode(Array(bytes[shift..<shift + (bytes.count - shift) / 3 * 3]))
      found.append(Array(whole.utf8.prefix(12)))
    }
    return found
  }

  private func isFound(_ traces: [[UInt8]], in haystack: Data) -> Bool {
    traces.contains { haystack.range(of: Data($0)) != nil }
  }

  @Test("a sealed key opens for its purpose and with its unlock key only")
  func bound() throws {
    let own = try sealer(), at = Timestamp(seconds: 1_800_000_000)
    let secret = try SecureBytes.random(count: 32)
    let sealed = try own.seal(secret, as: "pepper", at: at)
    let opened = try own.open(sealed, as: "pepper")
    let isSame = opened.equals(secret)
    #expect(isSame)
    #expect(failure { _ = try own.open(sealed, as: "signing.EdDSA.x") } == .vaultTampered)
    #expect(failure { _ = try sealer(8).open(sealed, as: "pepper") } == .vaultWrongKey)
    #expect(failure { _ = try own.open([], as: "pepper") } == .vaultDamaged)
    #expect(failure { _ = try own.open(sealed, as: "signing.EdDSA.../../x y") } == .vaultTampered)
  }

  @Test("nothing private shows in rows, answers, tokens, errors or dumps", arguments: [JWSAlgorithm.edDSA, .rs256])
  func canaries(_ algorithm: JWSAlgorithm) throws {
    let server = try Server(algorithm)
    let peppers = try Peppers(store: server.store, sealer: try sealer(), clock: { server.clock.now })
    try peppers.tick()
    var secrets: [[[UInt8]]] = []
    for row in server.store.all {
      let purpose = row.purpose == .pepper ? "pepper" : "signing.\(row.algorithm).\(row.keyID)"
      let secret = try sealer().open(row.sealed, as: purpose)
      if algorithm == .rs256, row.purpose == .signing {
        let members = try secret.withBytes { try JSONReader.value(Array($0)) }
        for name in ["d", "p", "q", "dp", "dq", "qi"] {
          let number = try #require(members[name]?.string.flatMap { Base64URL.decode($0) })
          secrets.append(traces(try box(number).bytes))
        }
      } else {
        secrets.append(traces(secret))
      }
    }
    #expect(secrets.count == (algorithm == .rs256 ? 7 : 2))
    var text = ""
    for row in server.store.all { dump(row, to: &text) }
    let key = try server.ring.signingKey(now: server.now)
    for thing in [server.ring, peppers, key, try sealer(), try server.ring.list()] as [Any] {
      dump(thing, to: &text)
      text += "\(thing) \(String(reflecting: thing))"
    }
    text += try server.ring.jwks(now: server.now).json + (try server.accessToken().text) + (try server.idToken().text)
    // Errors of a key that is damaged in each way that there is.
    let row = server.store.all[0]
    for change in [
      { $0.sealed[40] ^= 1 }, { $0.sealed[300] ^= 1 }, { $0.sealed.removeLast() }, { $0.keyID = "other" },
      { $0.algorithm = "none" }, { $0.algorithm = "RS256" }, { $0.algorithm = "EdDSA" },
    ] as [(inout SealedKey) -> Void] {
      server.store.tamper(1) { $0 = row }
      server.store.tamper(1, change)
      do { try KeyRing(store: server.store, sealer: try sealer(), clock: { server.clock.now }).tick() } catch {
        text += "\(error)\n"
      }
    }
    var haystack = Data(text.utf8)
    for row in server.store.all + [row] {
      haystack.append(contentsOf: row.sealed)
      haystack.append(contentsOf: row.publicJWK.utf8)
    }
    for traces in secrets { #expect(!isFound(traces, in: haystack)) }
    // The search finds what is there.
    let canary = try SecureBytes.random(count: 32)
    let planted = canary.withBytes { Array($0) }
    let forms = [Data(planted), Data(Base64URL.encode(planted).utf8), Data("\(planted)".utf8)]
    let canaryTraces = traces(canary)
    for form in forms { #expect(isFound(canaryTraces, in: haystack + form)) }
  }
}
