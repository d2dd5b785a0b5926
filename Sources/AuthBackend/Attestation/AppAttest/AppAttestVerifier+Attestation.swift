public import Basics
internal import JOSE

extension AppAttestVerifier {
  /// Verifies a new key's attestation object: CBOR, as `attestKey` gave it to the app. `keyID` is the key id that the app sent, 32 bytes
  /// (out of base64); `clientDataHash` is the SHA-256 that the app passed to `attestKey`, which the caller computes anew from the challenge
  /// that it gave out. Throws the first ``AttestationRefusal`` met.
  public func verifyAttestation(
    _ object: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], now: Timestamp
  ) throws(AttestationRefusal) -> AppAttestKey {
    let document = try AppAttestVerifier.document(object, maximumSize: AppAttestVerifier.maximumAttestationSize)
    guard let format = document["fmt"]?.text else {
      throw AttestationRefusal(.malformed, "its 'fmt' is missing or is no text")
    }
    guard format.utf8.elementsEqual("apple-appattest".utf8) else { throw AttestationRefusal(.format) }
    guard let statement = document["attStmt"] else { throw AttestationRefusal(.malformed, "its 'attStmt' is missing") }
    let receipt = try AppAttestVerifier.bytes("receipt", of: statement)
    let authenticatorData = try AppAttestVerifier.bytes("authData", of: document)

    // Step 1.
    let certificates = try AppAttestVerifier.certificates(statement)
    let leaf = certificates[0]
    try roots.verify(leaf, by: Array(certificates.dropFirst()), at: now)
    // Steps 2 to 4.
    let nonce = try AppAttestVerifier.nonce(of: leaf)
    guard clientDataHash.count == 32, nonce == SHA256.hash(authenticatorData + clientDataHash) else {
      throw AttestationRefusal(.nonce)
    }
    // Step 5.
    guard let point = leaf.p256Point, P256PublicKey(point: point) != nil else { throw AttestationRefusal(.keyType) }
    guard keyID == SHA256.hash(point) else { throw AttestationRefusal(.keyID) }
    // Step 6.
    let data = try AuthenticatorData(authenticatorData, hasCredential: true)
    try checkApp(data)
    // Step 7.
    guard data.counter == 0 else { throw AttestationRefusal(.counterNotZero) }
    // Step 8.
    guard data.credential?.aaguid == environment.aaguid else { throw AttestationRefusal(.environment) }
    // Step 9.
    guard data.credential?.id == keyID else { throw AttestationRefusal(.credentialID) }
    // Beyond the steps.
    try checkCategory(data)
    return AppAttestKey(
      id: keyID, publicKey: point, counter: 0, environment: environment, extensions: data.extensions, receipt: receipt)
  }

  // The certificates of `x5c`, the credential's first; never none.
  private static func certificates(_ statement: CBORValue) throws(AttestationRefusal) -> [Certificate] {
    guard let items = statement["x5c"]?.items else {
      throw AttestationRefusal(.malformed, "its 'x5c' is missing or is no array")
    }
    guard (1...4).contains(items.count) else {
      throw AttestationRefusal(.certificate, "the attestation has \(items.count) certificates, not 1 to 4")
    }
    var certificates: [Certificate] = []
    for item in items {
      guard let bytes = item.bytes, let certificate = Certificate(der: bytes) else {
        throw AttestationRefusal(.certificate)
      }
      certificates.append(certificate)
    }
    return certificates
  }

  // The one octet string in Apple's extension: SEQUENCE { [1] { OCTET STRING } }, of which only the 32 bytes ever differ.
  private static func nonce(of leaf: Certificate) throws(AttestationRefusal) -> [UInt8] {
    let found = leaf.extensions("1.2.840.113635.100.8.2")
    guard found.count == 1, found[0].count == 38, found[0].starts(with: [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]) else {
      throw AttestationRefusal(.nonceMissing)
    }
    return Array(found[0].suffix(32))
  }
}
