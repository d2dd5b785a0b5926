import Basics
import Foundation
import JOSE
import MFSResourceServer
import SecureMemory
import TestSupport
import Testing

/// A resource server in another process than mfs-authd: this one. All it has is an address, a name and a secret.
@Suite struct ResourceServerTests {
  @Test func aRevokedSignInIsRefusedElsewhere() throws {
    let daemon = try Daemon()
    let printed = try daemon.admin("resource", "add", "orders", "--audience", "api").text
    let secret = printed.trimmingCharacters(in: .newlines)
    try daemon.serve()
    let (one, two) = (try daemon.signIn(), try daemon.signIn())
    func verifier(_ secret: String) throws -> ResourceVerifier<JWKSCache> {
      let server = try AuthorizationServer(
        issuer: "http://127.0.0.1:8480", address: daemon.origin, name: "orders",
        secret: SecureBox(SecureBytes(publicText: secret)))
      return ResourceVerifier(
        issuer: server.issuer, audience: "api", keys: server.keys(), denials: server.denials(freshSeconds: 0))
    }
    func refusal(_ one: SignIn, _ verifier: ResourceVerifier<JWKSCache>) -> ResourceRefusal? {
      do throws(ResourceRefusal) {
        _ = try verifier.verify(authorization: "Bearer " + one.tokens.access_token, requiring: ["profile"])
        return nil
      } catch { return error }
    }
    let asking = try verifier(secret)
    #expect(refusal(one, asking) == nil && refusal(two, asking) == nil)
    try daemon.admin("family", "revoke", one.sid)
    let refused = refusal(one, asking)
    #expect(refused?.status == 401 && refused?.reason == .denied)
    #expect(refusal(two, asking) == nil)
    // With another secret than the one that counts it is told nothing, and takes nothing.
    let next = try daemon.admin("resource", "add", "orders", "--replace").text.trimmingCharacters(in: .newlines)
    #expect(next != secret)
    #expect(refusal(two, try verifier(secret))?.reason == .denialsUnavailable)
    #expect(refusal(two, try verifier(next)) == nil)
    let (status, log) = try daemon.stop()
    #expect(status == 0 && log.contains("resource.refused"))
    for text in [secret, next] { #expect(!log.contains(text)) }
    #expect(refusal(two, try verifier(next))?.status == 503)
  }

  /// What is printed once is printed whatever becomes of the notes beside it: the old secret counts no more by then.
  @Test(arguments: [[], ["--json"]]) func aSecretIsPrintedBesideADamagedClient(words: [String]) throws {
    let daemon = try Daemon()
    let old = try daemon.admin("resource", "add", "orders").text.trimmingCharacters(in: .newlines)
    let damage = try run(
      [
        "/usr/bin/python3", "-c",
        "import sqlite3; c = sqlite3.connect('data/auth.db'); c.execute(\"UPDATE client SET grants = '{}'\"); c.commit()",
      ],
      in: daemon.sandbox)
    #expect(damage.status == 0, "\(damage.errorText)")
    let text = try daemon.admin(["resource", "add", "orders", "--replace"] + words).text
    let secret =
      words.isEmpty
      ? text.trimmingCharacters(in: .newlines)
      : try #require(
        (JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?["secret"] as? String)
    #expect(secret.hasPrefix("mfs") && secret != old, "\(secret.count) characters")
  }
}
