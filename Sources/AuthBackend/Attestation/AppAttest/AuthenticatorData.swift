internal import Basics

/// WebAuthn's authenticator data as App Attest fills it (WebAuthn 6.1): numbers are big-endian.
struct AuthenticatorData {
  /// What follows the counter in an attestation (WebAuthn 6.5.1); the public key after it is the certificate's, where it is read.
  struct Credential {
    /// Which environment, 16 bytes.
    let aaguid: [UInt8]
    /// The credential's id.
    let id: [UInt8]
  }

  /// SHA-256 of the app's id, 32 bytes.
  let appIDHash: [UInt8]
  /// How many signatures the key has made.
  let counter: UInt32
  /// The attested credential, when one was asked for.
  let credential: Credential?

  /// Reads authenticator data. Bytes after what is read here are extensions, which newer systems write: signatures and nonces cover
  /// them. In an assertion the flag for a credential is set although there is none, so it counts in an attestation only.
  init(_ bytes: [UInt8], hasCredential: Bool) throws(AttestationRefusal) {
    var reader = ByteReader(bytes[...])
    guard let appIDHash = reader.array(32), let flags = reader.integer(UInt8.self),
      let counter = reader.integer(UInt32.self)
    else { throw AuthenticatorData.cut }
    self.appIDHash = appIDHash
    self.counter = counter.byteSwapped
    guard hasCredential else {
      credential = nil
      return
    }
    guard flags & AuthenticatorData.credentialFlag != 0, let aaguid = reader.array(16),
      let length = reader.integer(UInt16.self), let id = reader.array(Int(length.byteSwapped)), reader.remaining > 0
    else { throw AuthenticatorData.cut }
    credential = Credential(aaguid: aaguid, id: id)
  }

  private static let credentialFlag: UInt8 = 0x40
  private static let cut = AttestationRefusal(.malformed, "the authenticator data is too short, or holds no credential")
}
