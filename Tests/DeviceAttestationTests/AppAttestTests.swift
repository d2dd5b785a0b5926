import Basics
import JOSE
import Testing

@testable import DeviceAttestation

@Suite("App Attest")
struct AppAttestTests {
  private func key(_ vector: Vector, _ vectors: Vectors) throws -> Result<AppAttestKey, AttestationRefusal> {
    let environment = try #require(AppAttestEnvironment(rawValue: vector.text("environment")))
    let verifier = try verifier(vectors, environment, allowing: vector)
    do throws(AttestationRefusal) {
      return .success(
        try verifier.verifyAttestation(
          vector.bytes("object"), keyID: vector.bytes("keyID"), clientDataHash: vector.bytes("clientDataHash"),
          now: Timestamp(seconds: vector.number("now"))))
    } catch { return .failure(error) }
  }

  @Test("NA-02: good attestations are taken, and each that is wrong in one way meets its own refusal")
  func attestations() throws {
    let vectors = try Vectors.appAttest.get()
    let attestations = vectors.all.filter { $0.text("kind") == "attestation" }
    #expect(attestations.count > 50)
    for vector in attestations {
      switch try key(vector, vectors) {
      case .success(let key):
        #expect(vector.expected == "", "\(vector) was taken")
        #expect(key.id == vector.bytes("keyID"), "\(vector)")
        #expect(key.publicKey == vector.bytes("publicKey"), "\(vector)")
        #expect(key.environment.rawValue == vector.text("environment"), "\(vector)")
        #expect(key.counter == 0)
        #expect(key.extensions.validationCategory.map(Int64.init) ?? -1 == vector.number("category"), "\(vector)")
        #expect(key.extensions.bundleVersion ?? "" == vector.text("version"), "\(vector)")
        #expect(key.receipt.starts(with: "receipt ".utf8))
      case .failure(let refusal):
        #expect(refusal.reason.rawValue == vector.expected, "\(vector): \(refusal)")
      }
    }
  }

  @Test("NA-02: good assertions are taken, and each that is wrong in one way meets its own refusal")
  func assertions() throws {
    let vectors = try Vectors.appAttest.get()
    let assertions = vectors.all.filter { $0.text("kind") == "assertion" }
    #expect(assertions.count > 15)
    for vector in assertions {
      let verifier = try verifier(vectors, allowing: vector)
      var counter: UInt32?
      let last = try #require(UInt32(exactly: vector.number("lastCounter")))
      let refused = refusal { () throws(AttestationRefusal) in
        counter = try verifier.verifyAssertion(
          vector.bytes("object"), clientData: vector.bytes("clientData"), publicKey: vector.bytes("publicKey"),
          lastCounter: last)
      }
      #expect(refused == vector.expected, "\(vector)")
      #expect(counter.map(Int64.init) == (vector.expected.isEmpty ? vector.number("counter") : nil), "\(vector)")
    }
  }

  @Test("NA-02: an assertion that is sent a second time is refused, once its counter was kept")
  func replay() throws {
    let vectors = try Vectors.appAttest.get()
    let verifier = try verifier(vectors)
    let vector = try vectors.named("an assertion")
    let kept = try verifier.verifyAssertion(
      vector.bytes("object"), clientData: vector.bytes("clientData"), publicKey: vector.bytes("publicKey"),
      lastCounter: 6)
    let refused = refusal { () throws(AttestationRefusal) in
      _ = try verifier.verifyAssertion(
        vector.bytes("object"), clientData: vector.bytes("clientData"), publicKey: vector.bytes("publicKey"),
        lastCounter: kept)
    }
    #expect(refused == "counter-not-rising")
  }

  @Test("threads verify with the same roots at once")
  func threads() async throws {
    let vectors = try Vectors.appAttest.get()
    let verifier = try verifier(vectors)
    let (good, bad) = (try vectors.named("production"), try vectors.named("another root of the same name"))
    let refusals = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<40).map { round in
            let vector = round % 2 == 0 ? good : bad
            return refusal { () throws(AttestationRefusal) in
              _ = try verifier.verifyAttestation(
                vector.bytes("object"), keyID: vector.bytes("keyID"), clientDataHash: vector.bytes("clientDataHash"),
                now: vectorTime)
            }
          }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(refusals.count == 320)
    #expect(refusals.filter(\.isEmpty).count == 160)
    #expect(refusals.filter { $0 == "certificate-signature" }.count == 160)
  }

  @Test("a good attestation does not verify against Apple's root")
  func apple() throws {
    let vectors = try Vectors.appAttest.get()
    let vector = try vectors.named("production")
    let verifier = AppAttestVerifier(
      appID: vectors.head.text("app"), environment: .production, roots: try PinnedRoots.appleAppAttest())
    let refused = refusal { () throws(AttestationRefusal) in
      _ = try verifier.verifyAttestation(
        vector.bytes("object"), keyID: vector.bytes("keyID"), clientDataHash: vector.bytes("clientDataHash"),
        now: vectorTime)
    }
    #expect(refused == "untrusted-root")
  }
}

@Suite("pinned roots")
struct PinnedRootsTests {
  private func refused(_ pem: String) -> Failure? {
    do throws(Failure) {
      _ = try PinnedRoots(pem: Array(pem.utf8))
      return nil
    } catch { return error }
  }

  @Test("Apple's root is the one whose fingerprint is documented")
  func apple() throws {
    #expect(try PinnedRoots.appleAppAttest().count == 1)
    let lines = PinnedRoots.apple.split(separator: "\n").filter { !$0.hasPrefix("-----") }
    let der = try #require(Base64Text.decode(lines.joined()))
    let digest = Hexadecimal.encode(SHA256.hash(der))
    #expect(digest == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")
  }

  @Test("several roots may be pinned; what is no root, broken or nothing is refused")
  func reading() throws {
    let head = try Vectors.appAttest.get().head
    let (root, intermediate) = (head.text("pem"), head.text("intermediate"))
    #expect(try PinnedRoots(pem: Array((root + PinnedRoots.apple).utf8)).count == 2)
    #expect(refused("") == Failure(.configuration, ""))
    #expect(refused("no certificate") == Failure(.configuration, ""))
    #expect(refused(intermediate) == Failure(.configuration, ""))
    #expect(refused(root + intermediate) == Failure(.configuration, ""))
    let cut = String(root.prefix(root.count / 2))
    #expect(refused(root + cut) == Failure(.configuration, ""))
    #expect(refused(cut) == Failure(.configuration, ""))
    #expect(
      refused(root + "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") == Failure(.configuration, ""))
  }
}
