internal import Basics
internal import CSodium

/// A signature as minisign writes it: over the BLAKE2b-512 digest of a file, and a second one over the first and a
/// comment, which can be trusted for that.
struct MinisignSignature: Sendable {
  /// Which key made it.
  let keyID: MinisignKeyID
  /// The comment that is signed too.
  let comment: String
  private let signature: [UInt8]
  private let whole: [UInt8]

  /// A signature of these parts: 64 bytes over the digest, 64 over `signature` and the comment.
  init(keyID: MinisignKeyID, signature: [UInt8], comment: String, whole: [UInt8]) {
    self.keyID = keyID
    self.signature = signature
    self.comment = comment
    self.whole = whole
  }

  /// Reads a signature file, which `name` names in messages. Throws ``FailureCode/pluginRefused``.
  init(parsing bytes: [UInt8], name: String) throws(Failure) {
    let lines = MinisignFormat.lines(bytes) ?? []
    guard lines.count == 4, lines[0].hasPrefix(MinisignFormat.untrusted),
      lines[2].hasPrefix(MinisignFormat.trusted), let first = Base64Text.decode(lines[1], count: 74),
      let whole = Base64Text.decode(lines[3], count: 64)
    else {
      throw Failure(.pluginRefused, "\(name) is not a signature of minisign", hint: "get it again from the publisher")
    }
    guard first.starts(with: MinisignFormat.prehashed) else {
      throw Failure(
        .pluginRefused, "\(name) is a signature of the old form, over the whole file",
        hint: "the publisher has to sign it again with 'mfsctl strategy sign', or minisign 0.10 or newer")
    }
    keyID = MinisignKeyID(bytes: Array(first[2..<10]))
    signature = Array(first[10...])
    comment = String(lines[2].dropFirst(MinisignFormat.trusted.count))
    self.whole = whole
  }

  /// Whether a key made this signature, over a file of this digest (BLAKE2b, 64 bytes), and over the comment.
  func isValid(of digest: [UInt8], by key: MinisignPublicKey) -> Bool {
    guard keyID == key.id, digest.count == 64, signature.count == 64, whole.count == 64, key.key.count == 32 else {
      return false
    }
    let commented = signature + Array(comment.utf8)
    let isSigned = unsafe crypto_sign_verify_detached(signature, digest, UInt64(digest.count), key.key) == 0
    let isMeant = unsafe crypto_sign_verify_detached(whole, commented, UInt64(commented.count), key.key) == 0
    return isSigned && isMeant
  }

  /// The file, whose first comment nobody vouches for.
  func file(untrustedComment: String) -> String {
    """
    \(MinisignFormat.untrusted)\(untrustedComment)
    \(Base64Text.encode(MinisignFormat.prehashed + keyID.bytes + signature))
    \(MinisignFormat.trusted)\(comment)
    \(Base64Text.encode(whole))

    """
  }

  /// The digest that is signed.
  static func digest(of data: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    unsafe crypto_generichash(
      &digest, digest.count, data.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(data.count), nil, 0)
    return digest
  }
}
