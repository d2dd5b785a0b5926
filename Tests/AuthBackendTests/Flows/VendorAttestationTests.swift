import AuthBackend
import BackendStore
import BackendStoreConformance
import Basics
import DeviceAttestation
import Foundation
import HTTPTestSupport
import SecureMemory
import TestSupport
import Testing

/// Attestation with the vendors' own cryptography: phones that a Python program plays, verified for real.
@Suite("attestation by App Attest and Play Integrity") struct VendorAttestationTests {
  let phone: PythonServer
  let head: RawResponse
  let fixture: FlowFixture
  let device = "phone-1"

  init() throws {
    let script = try #require(Bundle.module.url(forResource: "Resources/phone", withExtension: "py")).path
    phone = try PythonServer(
      script: script, arguments: ["\(Programs.checkout)/Tests/DeviceAttestationTests/Resources"],
      interpreter: PythonEnvironment().interpreter)
    head = try VendorAttestationTests.ask(phone, "/head", [:])
    let secret = try SecureBytes(publicText: head["secret"]?.string ?? "")
    let keys = try PlayIntegrityKeys(
      decryptionKeyText: secret, verificationKeyText: head["verification"]?.string ?? "")
    let package = head["package"]?.string ?? ""
    let roots = try PinnedRoots(pem: Array((head["root"]?.string ?? "").utf8))
    fixture = try FlowFixture(
      verifier: VendorAttestation(roots: roots, integrityKeys: [package: keys]), at: Timestamp(seconds: 1_800_000_000))
    var client = try #require(try fixture.store.client("attested"))
    client.properties = [
      "apple-app-id": head["app"]?.string ?? "", "android-package": package,
      "android-sha256-fingerprints": head["fingerprint"]?.string ?? "",
    ]
    try fixture.store.put(client)
  }

  private static func ask(_ phone: PythonServer, _ path: String, _ items: JSONValue) throws -> RawResponse {
    try #require(try exchange(phone.port, "POST", path, body: items.text))
  }

  /// The platform's answer for the client data of a request.
  private func ask(_ path: String, _ data: [UInt8], _ more: [JSONValue.Member] = [], base64url: Bool = false) throws
    -> String
  {
    let hash = Data(digest(data)).base64EncodedString()
    let text =
      base64url
      ? hash.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") : hash
    let answer = try VendorAttestationTests.ask(phone, path, .object([.init("hash", .string(text))] + more))
    return try #require(answer["object"]?.string)
  }

  private func request(_ grant: String, _ credential: String) throws -> (items: [(String, String)], data: [UInt8]) {
    let double = DeviceDouble(fixture, device)
    let challenge = try double.challenge()
    return (
      [("device_id", device), ("attestation_challenge", challenge)], double.clientData(challenge, grant, credential)
    )
  }

  private func apple(
    _ grant: String, _ credential: String, counter: Int64? = nil, _ more: [JSONValue.Member] = []
  ) throws -> [(String, String)] {
    let (items, data) = try request(grant, credential)
    let counted = counter.map { [JSONValue.Member("counter", .integer($0))] } ?? []
    return items + [
      ("attestation_type", "apple-app-attest"), ("key_id", head["keyID"]?.string ?? ""),
      (
        counter == nil ? "attestation" : "assertion",
        try ask(counter == nil ? "/attest" : "/sign", data, counted + more)
      ),
    ]
  }

  private func redeem(_ items: (String) throws -> [(String, String)]) throws -> RawResponse {
    let code = try fixture.code("attested", device: device)
    return try fixture.redeem(code, items(code), client: "attested")
  }

  private func reason() -> String? { fixture.last("attestation.refused", "reason") }

  @Test("NA-02 App Attest") func anIPhoneIsTold() throws {
    let other: [JSONValue.Member] = [.init("app", "A1B2C3D4E5.com.example.other")]
    #expect(try redeem { try apple("authorization_code", $0, other) }.fault == "invalid_grant")
    #expect(reason() == "app-id")
    #expect(try redeem { _ in try apple("authorization_code", "another code") }.fault == "invalid_grant")
    #expect(reason() == "nonce")
    var token = try #require(try redeem { try apple("authorization_code", $0) }["refresh_token"]?.string)
    let kept = try #require(try fixture.store.device(user: "user_alice", id: device))
    #expect(kept.verdict == Device.Verdict("apple-app-attest: attested, production", at: fixture.now))
    #expect(kept.key?.publicKey.count == 65)
    func refresh(counter: Int64, _ more: [JSONValue.Member] = [], of credential: String? = nil) throws -> RawResponse {
      try fixture.refresh(
        token, apple("refresh_token", credential ?? token, counter: counter, more), client: "attested")
    }
    token = try #require(try refresh(counter: 3)["refresh_token"]?.string)
    for counter: Int64 in [3, 2, 0] {
      #expect(try refresh(counter: counter).fault == "invalid_grant")
      #expect(reason() == "counter-not-rising")
    }
    #expect(try refresh(counter: 4, other).fault == "invalid_grant")
    #expect(reason() == "app-id")
    #expect(try refresh(counter: 4, of: "another token").fault == "invalid_grant")
    #expect(reason() == "signature")
    #expect(try refresh(counter: 4).status == 200)
    #expect(try fixture.store.device(user: "user_alice", id: device)?.key?.counter == 4)
    // Nobody has verified the receipt, so it is not kept (docs/ATTESTATION.md); the device's id, which is, shows where to look.
    let files = ["auth.db", "auth.db-wal"].map { fixture.folder($0) }
    #expect(try files.contains { try contains($0, device) })
    #expect(try !files.contains { try contains($0, "a receipt") })
  }

  @Test("NA-02 Play Integrity") func anAndroidPhoneIsTold() throws {
    func google(_ credential: String, _ more: [JSONValue.Member] = [], of other: String? = nil) throws -> [(
      String, String
    )] {
      let (items, data) = try request("authorization_code", other ?? credential)
      return items + [
        ("attestation_type", "play-integrity"), ("attestation", try ask("/integrity", data, more, base64url: true)),
      ]
    }
    #expect(try redeem { try google($0, of: "another code") }.fault == "invalid_grant")
    #expect(reason() == "request-nonce")
    // The token of a standard request, whose hash stands for another thing: only Google opens real ones.
    #expect(try redeem { try google($0, [.init("standard", true)]) }.fault == "invalid_grant")
    #expect(reason() == "request-nonce")
    #expect(try redeem { try google($0, [.init("labels", [])]) }.fault == "invalid_grant")
    #expect(reason() == "device-integrity")
    #expect(try redeem { try google($0) }.status == 200)
    #expect(
      try fixture.store.device(user: "user_alice", id: device)?.verdict
        == Device.Verdict("play-integrity: MEETS_DEVICE_INTEGRITY", at: fixture.now))
  }

  @Test func anAppThatIsNotNamedIsNotVerified() throws {
    var client = try #require(try fixture.store.client("attested"))
    client.properties = [:]
    try fixture.store.put(client)
    #expect(try redeem { try apple("authorization_code", $0) }.fault == "invalid_grant")
    #expect(reason() == "not-configured")
  }
}
