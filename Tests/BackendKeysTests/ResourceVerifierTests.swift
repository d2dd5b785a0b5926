import BackendKeys
import Basics
import Foundation
import JOSE
import MFSResourceServer
import SecureMemory
import TestSupport
import Testing

@Suite("A resource server")
struct ResourceVerifierTests {
  private func verifier(_ server: Server, _ denials: DenialList? = nil) throws -> ResourceVerifier<JSONWebKeySet> {
    ResourceVerifier(issuer: issuer, audience: "api", keys: try server.jwks(), denials: denials)
  }

  private func refusal(
    _ server: Server, _ authorization: String?, _ denials: DenialList? = nil, requiring scopes: [String] = []
  ) throws -> ResourceRefusal? {
    let verifier = try verifier(server, denials)
    do throws(ResourceRefusal) {
      _ = try verifier.verify(authorization: authorization, requiring: scopes, now: server.now)
      return nil
    } catch { return error }
  }

  private func expectInvalid(
    _ server: Server, _ token: String, _ reason: TokenRefusal.Reason, _ denials: DenialList? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let refused = try refusal(server, "Bearer \(token)", denials)
    #expect(refused?.status == 401, sourceLocation: location)
    #expect(refused?.error == "invalid_token", sourceLocation: location)
    #expect(refused?.authenticate == "Bearer error=\"invalid_token\"", sourceLocation: location)
    #expect(refused?.reason == reason, sourceLocation: location)
  }

  /// A key of the same server's that a test can sign anything with.
  private func openKey(_ server: Server, _ algorithm: JWSAlgorithm) throws -> SigningKey {
    let row = try #require(server.store.all.first)
    let secret = try SealedKeys.open(row)
    if algorithm == .rs256 { return try SigningKey(json: secret) }
    let text = secret.withBytes { Base64URL.encode(Array($0)) }
    let x = try #require(try JSONReader.value(Array(row.publicJWK.utf8))["x"]?.string)
    let json = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\",\"d\":\"\(text)\"}"
    return try SigningKey(json: try box(Array(json.utf8)).bytes)
  }

  private func claims(_ server: Server, _ extra: String = "") -> String {
    """
    {"iss":"\(issuer)","sub":"user_01","aud":"api","client_id":"mobile","iat":\(server.now.seconds),\
    "exp":\(server.now.seconds + 300),"jti":"1","scope":"feed"\(extra)}
    """
  }

  @Test("a good token is taken, and says who and what")
  func good() throws {
    for algorithm in [JWSAlgorithm.edDSA, .rs256] {
      let server = try Server(algorithm)
      for form in ["Bearer ", "bearer ", "BEARER  "] {
        let token = try verifier(server).verify(
          authorization: form + server.accessToken().text, requiring: ["feed"], now: server.now)
        #expect(token.subject == "user_01")
        #expect(token.scopes == ["profile", "feed"])
      }
      // What the forgeries below are made from is good as it is.
      let key = try openKey(server, algorithm), id = try server.keyID()
      let made = try forge(
        "{\"alg\":\"\(algorithm.rawValue)\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\"}", claims(server), by: key)
      #expect(try refusal(server, "Bearer \(made)") == nil)
    }
  }

  @Test("JT-05 alg none is refused", arguments: ["none", "None", "NONE", ""])
  func none(_ name: String) throws {
    let server = try Server(), id = try server.keyID()
    let header = "{\"alg\":\"\(name)\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\"}"
    try expectInvalid(server, try forge(header, claims(server), by: nil), .algorithm)
    try expectInvalid(server, try forge(header, claims(server), by: try openKey(server, .edDSA)), .algorithm)
  }

  @Test("JT-05 HS256 keyed with the RSA public key is refused")
  func symmetric() throws {
    let server = try Server(.rs256), id = try server.keyID()
    let key = try #require(try server.jwks().keys.first)
    let secrets = [try #require(key.pem), String((try #require(key.pem)).dropLast()), key.json.text]
    for secret in secrets {
      let signed =
        Base64URL.encode(Array("{\"alg\":\"HS256\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\"}".utf8)) + "."
        + Base64URL.encode(Array(claims(server).utf8))
      let tag = try hmacSHA256(key: Array(secret.utf8), Array(signed.utf8))
      try expectInvalid(server, signed + "." + Base64URL.encode(tag), .algorithm)
    }
  }

  @Test("JT-05 an ID token is no access token")
  func idToken() throws {
    let server = try Server()
    try expectInvalid(server, try server.idToken().text, .type)
    try expectInvalid(server, try server.idToken { $0.clientID = "api" }.text, .type)
  }

  @Test(
    "JT-05 an unknown kid, and one that holds a path or SQL, is refused",
    arguments: [
      "unknown", "", "../../../dev/null", "/etc/passwd", "x' UNION SELECT 'a", "a\\u0000b",
      "https://evil.example.com/jwks",
    ])
  func keyIDs(_ id: String) throws {
    let server = try Server(), key = try openKey(server, .edDSA)
    let header = "{\"alg\":\"EdDSA\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\"}"
    try expectInvalid(server, try forge(header, claims(server), by: key), .unknownKey)
  }

  @Test("JT-05 a crit header is refused")
  func critical() throws {
    let server = try Server(), key = try openKey(server, .edDSA), id = try server.keyID()
    for crit in ["[\"exp\"]", "[]", "[\"b64\"]"] {
      let header = "{\"alg\":\"EdDSA\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\",\"crit\":\(crit),\"exp\":1}"
      try expectInvalid(server, try forge(header, claims(server), by: key), .critical)
    }
  }

  @Test("JT-05 members that stand twice are refused, in header and payload")
  func duplicates() throws {
    let server = try Server(), key = try openKey(server, .edDSA), id = try server.keyID()
    let head = "\"alg\":\"EdDSA\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\""
    for header in ["{\(head),\"alg\":\"EdDSA\"}", "{\(head),\"kid\":\"\(id)\"}", "{\(head),\"\\u0074yp\":\"at+jwt\"}"] {
      try expectInvalid(server, try forge(header, claims(server), by: key), .duplicate)
    }
    for extra in [",\"sub\":\"root\"", ",\"aud\":\"api\"", ",\"\\u0065xp\":9999999999", ",\"x\":{\"a\":1,\"a\":2}"] {
      try expectInvalid(server, try forge("{\(head)}", claims(server, extra), by: key), .duplicate)
    }
  }

  @Test("JT-05 a key that a token brings along is not used, and no changed byte is taken")
  func changed() throws {
    let server = try Server(), foreign = try SigningKey.generate(.edDSA), id = try server.keyID()
    for extra in [
      "\"jwk\":\(foreign.publicKey.json.text)", "\"jku\":\"https://evil.example.com\"", "\"x5c\":[\"AAAA\"]",
    ] {
      let header = "{\"alg\":\"EdDSA\",\"kid\":\"\(id)\",\"typ\":\"at+jwt\",\(extra)}"
      try expectInvalid(server, try forge(header, claims(server), by: foreign), .signature)
    }
    let good = Array(try server.accessToken().text.utf8)
    for index in good.indices {
      var bytes = good
      bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(try refusal(server, "Bearer " + String(decoding: bytes, as: UTF8.self))?.status == 401, "byte \(index)")
    }
  }

  @Test("another issuer, another audience and a token that is over are refused")
  func otherClaims() throws {
    let server = try Server()
    try expectInvalid(server, try server.accessToken { $0.audiences = ["other"] }.text, .audience)
    let token = try server.accessToken()
    server.clock.pass(600 + 59)
    #expect(try refusal(server, "Bearer \(token.text)") == nil)
    server.clock.pass(1)
    try expectInvalid(server, token.text, .expired)
  }

  @Test("a request without token gets a challenge without an error, one of no form 400, and one that lacks a scope 403")
  func otherAnswers() throws {
    let server = try Server(), token = try server.accessToken().text
    for none in [nil, "", "Basic dTpw", "Digest x", "Bearerx \(token)"] {
      let refused = try refusal(server, none)
      #expect(refused?.status == 401)
      #expect(refused?.error == nil)
      #expect(refused?.authenticate == "Bearer realm=\"oauth\"")
    }
    for malformed in ["Bearer", "Bearer ", "bearer   "] {
      let refused = try refusal(server, malformed)
      #expect(refused?.status == 400)
      #expect(refused?.authenticate == "Bearer error=\"invalid_request\"")
    }
    try expectInvalid(server, "x", .form)
    try expectInvalid(server, token + " x", .form)
    let lacking = try refusal(server, "Bearer \(token)", requiring: ["feed", "admin"])
    #expect(lacking?.status == 403)
    #expect(lacking?.authenticate == "Bearer error=\"insufficient_scope\", scope=\"feed admin\"")
    let hostile = try refusal(server, "Bearer \(token)", requiring: ["a\"\r\nX: y\\"])
    #expect(hostile?.authenticate == "Bearer error=\"insufficient_scope\", scope=\"aX: y\"")
  }

  @Test("a token whose jti or sid is denied is refused until the denial ends")
  func denied() throws {
    let server = try Server(), token = try server.accessToken()
    for id in [try #require(token.id), "sess_01"] {
      let until = server.now.advanced(by: 30)
      let denials = DenialList { _ in [id: until] }
      try expectInvalid(server, token.text, .denied, denials)
      #expect(try refusal(server, "Bearer \(token.text)", DenialList { _ in ["other": until] }) == nil)
      #expect(try refusal(server, "Bearer \(token.text)", DenialList { now in [id: now] }) == nil)
    }
  }

  @Test("while denials cannot be read the last ones count for a minute, and then the answer is 503")
  func denialsGone() throws {
    let server = try Server(), token = try server.accessToken().text
    final class Source: @unchecked Sendable {
      var isGone = false
      var calls = 0
    }
    let source = Source()
    let denials = DenialList { _ throws(Failure) in
      source.calls += 1
      if source.isGone { throw Failure(.network, "gone") }
      return [:]
    }
    #expect(try refusal(server, "Bearer \(token)", denials) == nil)
    #expect(try refusal(server, "Bearer \(token)", denials) == nil)
    #expect(source.calls == 1)
    source.isGone = true
    server.clock.pass(60)
    #expect(try refusal(server, "Bearer \(token)", denials) == nil)
    server.clock.pass(1)
    let refused = try refusal(server, "Bearer \(token)", denials)
    #expect(refused?.status == 503)
    #expect(refused?.authenticate == nil)
    #expect(refused?.reason == .denialsUnavailable)
    source.isGone = false
    #expect(try refusal(server, "Bearer \(token)", denials)?.status == 503, "it is not tried again so soon")
    server.clock.pass(5)
    #expect(try refusal(server, "Bearer \(token)", denials) == nil)
    // Nothing was ever read.
    #expect(
      try refusal(server, "Bearer \(token)", DenialList { _ throws(Failure) in throw Failure(.network, "gone") })?
        .status == 503)
  }

  @Test("one thread reads the denials, and none of the others goes on without them")
  func denialThreads() throws {
    let server = try Server(), token = try server.accessToken(), now = server.now
    let verifiers = try verifier(
      server,
      DenialList { _ in
        usleep(50_000)
        return ["sess_01": now.advanced(by: 60)]
      })
    let statuses = try inParallel(8) { _ -> Int in
      do throws(ResourceRefusal) {
        _ = try verifiers.verify(authorization: "Bearer \(token.text)", now: now)
        return 200
      } catch { return error.status }
    }
    #expect(statuses == [Int](repeating: 401, count: 8))
  }
}
