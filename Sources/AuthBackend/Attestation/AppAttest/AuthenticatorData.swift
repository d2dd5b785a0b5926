internal import Basics

/// WebAuthn's authenticator data as App Attest fills it (WebAuthn 6.1): numbers are big-endian.
struct AuthenticatorData {
  /// What follows the counter in an attestation (WebAuthn 6.5.1); the public key after it is read from the certificate instead.
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
  /// What the system says beside.
  let extensions: AppAttestExtensions

  /// Reads authenticator data. The flags for a credential and for extensions are not to be relied on: assertions have the first
  /// without having one, and extensions come with and without the second. So the first counts in an attestation alone.
  init(_ bytes: [UInt8], hasCredential: Bool) throws(AttestationRefusal) {
    var reader = ByteReader(bytes[...])
    guard let appIDHash = reader.array(32), let flags = reader.integer(UInt8.self),
      let counter = reader.integer(UInt32.self)
    else { throw AuthenticatorData.cut }
    self.appIDHash = appIDHash
    self.counter = counter.byteSwapped
    if hasCredential {
      guard flags & AuthenticatorData.credentialFlag != 0, let aaguid = reader.array(16),
        let length = reader.integer(UInt16.self), let id = reader.array(Int(length.byteSwapped))
      else { throw AuthenticatorData.cut }
      credential = Credential(aaguid: aaguid, id: id)
    } else {
      credential = nil
    }
    var rest = try AuthenticatorData.items(reader.array(reader.remaining) ?? [])
    if hasCredential {
      guard case .map = rest.first else { throw AuthenticatorData.cut }
      rest.removeFirst()
    }
    guard rest.count <= 1 else {
      throw AttestationRefusal(.malformed, "something follows the extensions of the authenticator data")
    }
    extensions = try rest.first.map { value throws(AttestationRefusal) in try AppAttestExtensions(value) } ?? .none
  }

  private static func items(_ bytes: [UInt8]) throws(AttestationRefusal) -> [CBORValue] {
    do throws(CBORFault) { return try CBORReader.sequence(bytes, maximumSize: 2 << 10) } catch {
      throw AttestationRefusal(
        .malformed, "the end of the authenticator data is not CBOR as WebAuthn uses it: \(error)")
    }
  }

  private static let credentialFlag: UInt8 = 0x40
  private static let cut = AttestationRefusal(.malformed, "the authenticator data is too short, or holds no credential")
}
