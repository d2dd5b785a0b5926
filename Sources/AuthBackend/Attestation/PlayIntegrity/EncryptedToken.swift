internal import Basics
internal import JOSE
internal import SecureMemory

/// A compact JWE (RFC 7516 7.1) whose key is wrapped by A256KW and whose content is encrypted by A256GCM (RFC 7518 4.4, 5.3).
enum EncryptedToken {
  /// The content of a token, decrypted with a key of 32 bytes. That the key is wrong, and that the token was changed, is one and the same
  /// refusal.
  static func decrypt(
    _ token: UnsafeRawBufferPointer, by key: borrowing SecureBytes
  ) throws(AttestationRefusal) -> SecureBytes {
    guard token.count <= PlayIntegrityVerifier.maximumTokenSize else {
      throw AttestationRefusal(
        .size,
        "the token has \(token.count) bytes, and no more than \(PlayIntegrityVerifier.maximumTokenSize) are taken")
    }
    let dots = token.indices.filter { unsafe token[$0] == UInt8(ascii: ".") }
    guard dots.count == 4 else {
      throw AttestationRefusal(
        .malformed, "the token is no encrypted token: it has \(dots.count + 1) parts instead of 5")
    }
    let ends = [-1] + dots + [token.count]
    var parts: [[UInt8]] = []
    for index in 0..<5 {
      let range = ends[index] + 1..<ends[index + 1]
      guard let part = unsafe Base64URL.decode(UnsafeRawBufferPointer(rebasing: token[range])) else {
        throw AttestationRefusal(.malformed, "a part of the token is not base64url")
      }
      parts.append(part)
    }
    try check(header: parts[0])
    let (wrappedKey, nonce, ciphertext, tag) = (parts[1], parts[2], parts[3], parts[4])
    // A key of 32 bytes is wrapped into 40.
    guard wrappedKey.count == 40, nonce.count == 12, tag.count == 16 else {
      throw AttestationRefusal(.malformed, "a part of the token has another length than A256KW and A256GCM give it")
    }
    // As it stands in the token it is authenticated with the content.
    let header = unsafe UnsafeRawBufferPointer(rebasing: token[0..<dots[0]])
    guard let contentKey = try AES256.unwrap(wrappedKey, by: key),
      let content = unsafe try AES256.decrypt(ciphertext, tag: tag, nonce: nonce, additional: header, by: contentKey)
    else { throw AttestationRefusal(.decryption) }
    return content
  }

  private static func check(header: [UInt8]) throws(AttestationRefusal) {
    let members: JSONValue
    do throws(JSONFault) { members = try JSONReader.value(header, maximumSize: 4 << 10, maximumDepth: 8) } catch {
      throw AttestationRefusal(.malformed, "the token's header cannot be read: \(error)")
    }
    guard members.members != nil else { throw AttestationRefusal(.malformed, "the token's header is no JSON object") }
    func isExactly(_ name: String, _ value: String) -> Bool {
      members[name]?.string?.utf8.elementsEqual(value.utf8) ?? false
    }
    guard isExactly("alg", "A256KW"), isExactly("enc", "A256GCM") else { throw AttestationRefusal(.encryption) }
    guard members["zip"] == nil, members["crit"] == nil else {
      throw AttestationRefusal(.encryption, "the token asks for compression or for extensions, which are not taken")
    }
  }
}
