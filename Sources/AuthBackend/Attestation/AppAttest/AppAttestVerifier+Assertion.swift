internal import JOSE

extension AppAttestVerifier {
  /// Verifies an assertion: CBOR, as `generateAssertion` gave it to the app. `clientData` is what the app had hashed: the caller rebuilds it
  /// from the request that it guards and from a challenge of its own, or checks that challenge in it. `publicKey` is the
  /// ``AppAttestKey/publicKey`` that was kept. Returns the counter to keep in place of `lastCounter`; it must be kept by a conditional
  /// update that only ever raises it, or two requests with one assertion can both pass. Throws the first ``AttestationRefusal`` met.
  public func verifyAssertion(
    _ object: [UInt8], clientData: [UInt8], publicKey: [UInt8], lastCounter: UInt32
  ) throws(AttestationRefusal) -> UInt32 {
    let document = try AppAttestVerifier.document(object, maximumSize: AppAttestVerifier.maximumAssertionSize)
    let signature = try AppAttestVerifier.bytes("signature", of: document)
    let authenticatorData = try AppAttestVerifier.bytes("authenticatorData", of: document)
    guard let key = P256PublicKey(point: publicKey) else { throw AttestationRefusal(.keyType) }
    // Steps 1 to 3. The nonce is the message, so it is hashed once more.
    let nonce = SHA256.hash(authenticatorData + SHA256.hash(clientData))
    guard try key.verifies(signature, of: nonce) else { throw AttestationRefusal(.signature) }
    // Step 4.
    let data = try AuthenticatorData(authenticatorData, hasCredential: false)
    try checkApp(data)
    // Step 5.
    guard data.counter > lastCounter else { throw AttestationRefusal(.counterNotRising) }
    // Beyond the steps.
    try checkCategory(data)
    return data.counter
  }
}
