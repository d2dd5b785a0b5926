import AuthBackend
import BackendStore
import Basics
import CSodium
import HTTPTestSupport
import JOSE

/// A device that attests, and a verifier that believes it. Neither has a vendor's cryptography: a digest stands for each signature, made
/// of the same parts, so that whatever the server binds together wrongly is refused. The device makes its client data itself, by
/// docs/BACKEND-FLOWS.md and not by the server's code.
final class DeviceDouble {
  let id: String
  let fixture: FlowFixture
  let client: String
  var keyID: [UInt8]
  var counter: UInt8 = 0

  init(_ fixture: FlowFixture, _ id: String = "phone-1", client: String = "attested") {
    (self.fixture, self.id, self.client) = (fixture, id, client)
    keyID = digest(Array(id.utf8))
  }

  func challenge(client: String? = nil) throws -> String {
    let answer = try fixture.post("/oauth/attestation_challenge", [("client_id", client ?? self.client)])
    guard answer.status == 200, let challenge = answer["challenge"]?.string else {
      throw Flow.Problem("no challenge: \(answer.status) \(answer.text)")
    }
    return challenge
  }

  func clientData(_ challenge: String, _ grant: String, _ credential: String, app: String? = nil) -> [UInt8] {
    let hash = Base64URL.encode(digest(Array(credential.utf8)))
    return Array("mfs-attestation-1\n\(challenge)\n\(app ?? client)\n\(id)\n\(grant)\n\(hash)".utf8)
  }

  private func common(_ challenge: String, _ type: String) -> [(String, String)] {
    [("device_id", id), ("attestation_type", type), ("attestation_challenge", challenge)]
  }

  /// The parameters with which a new key is attested.
  func attestation(_ grant: String, _ credential: String, challenge: String? = nil) throws -> [(String, String)] {
    let challenge = try challenge ?? self.challenge()
    let object = digest(keyID + clientData(challenge, grant, credential))
    return common(challenge, "apple-app-attest") + [
      ("key_id", Base64URL.encode(keyID)), ("attestation", Base64URL.encode(object)),
    ]
  }

  /// The parameters of an assertion; the counter rises unless one is given.
  func assertion(
    _ grant: String, _ credential: String, challenge: String? = nil, counter given: UInt8? = nil, app: String? = nil
  ) throws -> [(String, String)] {
    let challenge = try challenge ?? self.challenge()
    if given == nil { counter += 1 }
    let object = [given ?? counter] + digest(keyID + clientData(challenge, grant, credential, app: app))
    return common(challenge, "apple-app-attest") + [
      ("key_id", Base64URL.encode(keyID)), ("assertion", Base64URL.encode(object)),
    ]
  }

  /// The parameters with a verdict of Google's.
  func integrity(_ grant: String, _ credential: String, other: String? = nil) throws -> [(String, String)] {
    let challenge = try challenge()
    let hash = Base64URL.encode(digest(clientData(challenge, grant, other ?? credential)))
    return common(challenge, "play-integrity") + [("attestation", "verdict for " + hash)]
  }

  struct Verifier: AttestationVerifying {
    func verify(
      _ evidence: AttestationEvidence, of client: Client, now: Timestamp
    ) throws(AttestationFault) -> AttestationFinding {
      switch evidence {
      case .appleKey(let object, let keyID, let clientData):
        guard object == digest(keyID + clientData) else { throw AttestationFault("nonce", "not this client data") }
        return AttestationFinding(verdict: "attested", key: DeviceKey(id: keyID, publicKey: keyID, counter: 0))
      case .appleAssertion(let object, let clientData, var key):
        guard object.count == 33, Array(object.dropFirst()) == digest(key.publicKey + clientData) else {
          throw AttestationFault("signature", "not this client data")
        }
        // A vendor's verifier is told the last counter and refuses too; this one leaves it to the store.
        key.counter = Int64(object[0])
        return AttestationFinding(verdict: "asserted", key: key)
      case .playIntegrity(let token, let nonce):
        guard token.bytes.publicText() == "verdict for " + nonce else {
          throw AttestationFault("request-nonce", "the verdict is for another request")
        }
        return AttestationFinding(verdict: "MEETS_DEVICE_INTEGRITY")
      }
    }
  }
}

func digest(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  _ = crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
  return digest
}
