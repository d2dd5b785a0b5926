public import Basics
internal import COpenSSL
public import JOSE
public import SecureMemory

/// The two keys of one Android app, from the Play Console's "App integrity" page, once it is set to manage and download response keys.
public struct PlayIntegrityKeys: @unchecked Sendable, CustomStringConvertible {
  // A box is never changed after it was made.
  let decryptionKey: SecureBox
  /// Google's public key for verdicts about this app.
  public let verificationKey: JSONWebKey

  /// Keys that are at hand: 32 bytes of AES, which are secret, and a P-256 key. Throws ``FailureCode/configuration``.
  public init(decryptionKey: consuming SecureBytes, verificationKey: JSONWebKey) throws(Failure) {
    guard decryptionKey.count == 32 else {
      throw Failure(.configuration, "the decryption key of Play Integrity has \(decryptionKey.count) bytes, not 32")
    }
    guard verificationKey.type == .p256 else {
      throw Failure(.configuration, "the verification key of Play Integrity is \(verificationKey), not a P-256 key")
    }
    self.decryptionKey = SecureBox(decryptionKey)
    self.verificationKey = verificationKey
  }

  /// The keys as the console shows them: both in base64, the second a SubjectPublicKeyInfo in DER. White space at the end is left out.
  /// Throws ``FailureCode/configuration``.
  public init(decryptionKeyText: borrowing SecureBytes, verificationKeyText: String) throws(Failure) {
    try self.init(
      decryptionKey: try PlayIntegrityKeys.decryptionKey(decryptionKeyText),
      verificationKey: try PlayIntegrityKeys.verificationKey(verificationKeyText))
  }

  /// The verification key as the console shows it. Throws ``FailureCode/configuration``.
  public static func verificationKey(_ shown: String) throws(Failure) -> JSONWebKey {
    let text = shown.filter { !$0.isWhitespace }
    guard text.utf8.count <= 4_096, Base64Text.decode(text) != nil else {
      throw Failure(
        .configuration, "the verification key of Play Integrity is not base64",
        hint: "copy it from the Play Console: 'App integrity', 'Response encryption'")
    }
    let pem = "-----BEGIN PUBLIC KEY-----\n\(PlayIntegrityKeys.lines(text))-----END PUBLIC KEY-----\n"
    return try JSONWebKey(pem: Array(pem.utf8), algorithm: .es256)
  }

  /// What they are; never what is in them.
  public var description: String { "the Play Integrity keys of an app: \(verificationKey)" }

  private static func lines(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: 64).map {
      String(decoding: bytes[$0..<min($0 + 64, bytes.count)], as: UTF8.self) + "\n"
    }.joined()
  }

  /// The decryption key as the console shows it. Throws ``FailureCode/configuration``.
  public static func decryptionKey(_ text: borrowing SecureBytes) throws(Failure) -> SecureBytes {
    let wrong = Failure(
      .configuration, "the decryption key of Play Integrity is not 32 bytes in base64",
      hint: "copy it from the Play Console: 'App integrity', 'Response encryption'")
    // 32 bytes are 43 characters and one of padding.
    let work = try text.prefix(43)
    let isWhole = unsafe text.withBytes { bytes in
      unsafe bytes.count >= 44 && bytes[43] == UInt8(ascii: "=")
        && bytes.dropFirst(44).allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
    }
    guard isWhole else { throw wrong }
    unsafe work.withMutableBytes { bytes in
      for index in bytes.indices {
        switch unsafe bytes[index] {
        case UInt8(ascii: "+"): unsafe bytes[index] = UInt8(ascii: "-")
        case UInt8(ascii: "/"): unsafe bytes[index] = UInt8(ascii: "_")
        default: break
        }
      }
    }
    guard let key = unsafe work.withBytes({ unsafe Base64URL.decodeSecret($0) }) else { throw wrong }
    return key
  }
}
