public import Basics
internal import CSodium
public import SecureMemory

/// A publisher's secret key, from the file that `minisign -G` writes. Its bytes never leave guarded memory.
///
/// The file's second line is base64 of 158 bytes: `Ed`, the KDF (`Sc`, or two zeros for none), `B2`, a salt of 32, scrypt's
/// limits (two u64), and, under a key stream from the password, the key's id (8), the Ed25519 key (64) and a BLAKE2b-256 digest of `Ed`,
/// id and key (32). All numbers are little-endian.
public struct MinisignSecretKey {
  let id: MinisignKeyID
  private let key: SecureBox

  /// Reads a key; `password` is asked for once, when the file needs one. Throws ``FailureCode/permissions`` when others can
  /// read the file, ``FailureCode/configuration`` when it is no such key, ``FailureCode/wrongPassword``.
  public init(file path: String, password: () throws(Failure) -> SecureBytes) throws(Failure) {
    let text = try SecretInput.read(file: path, limit: MinisignFormat.fileLimit, what: "the secret key file")
    let shown = OutsideText.clean(path, limit: 300)
    let blob = try MinisignSecretKey.blob(text, shown)
    let header = unsafe blob.withBytes { unsafe Array($0.prefix(54)) }
    let body = try SecureBytes(count: 104)
    unsafe blob.withBytes { from in
      unsafe body.withMutableBytes { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: from[54...])) }
    }
    guard header.starts(with: MinisignFormat.legacy), header[4..<6].elementsEqual("B2".utf8) else {
      throw MinisignSecretKey.unreadable(shown)
    }
    let isEncrypted = header[2..<4].elementsEqual("Sc".utf8)
    guard isEncrypted || header[2..<4].elementsEqual([0, 0]) else { throw MinisignSecretKey.unreadable(shown) }
    if isEncrypted { try MinisignSecretKey.decrypt(body, header, try password(), shown) }
    guard try MinisignSecretKey.isWhole(body, isChecked: isEncrypted) else {
      throw isEncrypted
        ? Failure(.wrongPassword, "the password is not that of \(shown)", hint: "try again")
        : MinisignSecretKey.unreadable(shown)
    }
    id = unsafe body.withBytes { unsafe MinisignKeyID(bytes: Array($0[..<8])) }
    key = SecureBox(try SecureBytes(viewing: SecureBox(body), 8..<72))
  }

  /// The key that verifies what this one signs.
  public var publicKey: MinisignPublicKey? {
    let bytes = unsafe key.bytes.withBytes { unsafe Array($0[32...]) }
    return MinisignPublicKey(text: Base64Text.encode(MinisignFormat.legacy + id.bytes + bytes))
  }

  /// Signs a digest (BLAKE2b, 64 bytes) and a comment of one line.
  func sign(_ digest: [UInt8], comment: String) -> MinisignSignature {
    let signature = sign(digest)
    return MinisignSignature(
      keyID: id, signature: signature, comment: comment, whole: sign(signature + Array(comment.utf8)))
  }

  private func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: 64)
    unsafe key.bytes.withPointer { secret in
      _ = unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
    }
    return signature
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(
      .configuration, "\(path) is not a secret key of minisign", hint: "name the file that 'minisign -G' made")
  }

  /// The 158 bytes of the second line.
  private static func blob(_ text: borrowing SecureBytes, _ path: String) throws(Failure) -> SecureBytes {
    let blob = try SecureBytes(count: 158)
    let count = unsafe text.withBytes { bytes -> Int in
      let lines = unsafe bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      guard unsafe lines.count >= 2 else { return 0 }
      let isCommented = unsafe lines[0].starts(with: MinisignFormat.untrusted.utf8)
      let line = unsafe UnsafeRawBufferPointer(rebasing: lines[isCommented ? 1 : 0])
      var length = 0
      let code = unsafe blob.withPointer { target in
        unsafe sodium_base642bin(
          target, 158, line.baseAddress?.assumingMemoryBound(to: CChar.self), line.count, "\r", &length, nil,
          Int32(sodium_base64_VARIANT_ORIGINAL))
      }
      return code == 0 ? length : 0
    }
    guard count == 158 else { throw unreadable(path) }
    return blob
  }

  /// Takes the key stream off. What minisign itself asks of scrypt is the most that is given: 1 GiB.
  private static func decrypt(
    _ body: borrowing SecureBytes, _ header: [UInt8], _ password: consuming SecureBytes, _ path: String
  ) throws(Failure) {
    func number(_ at: Int) -> UInt64 { header[at..<(at + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let operations = number(38), memory = number(46)
    guard (1...1 << 25).contains(operations), (1...1 << 30).contains(memory) else {
      throw Failure(
        .configuration, "\(path) asks for more work than a key of minisign does",
        hint: "name the file that 'minisign -G' made")
    }
    let stream = try SecureBytes(count: 104)
    let count = password.count
    let code = unsafe password.withPointer { typed in
      unsafe stream.withPointer { target in
        unsafe crypto_pwhash_scryptsalsa208sha256(
          target, 104, UnsafeRawPointer(typed).assumingMemoryBound(to: CChar.self), UInt64(count),
          Array(header[6..<38]),
          operations, Int(memory))
      }
    }
    guard code == 0 else {
      throw Failure(
        .outOfMemory, "there is not enough memory to open \(path): it takes \(memory >> 20) MiB",
        hint: Failure.memoryHint)
    }
    unsafe stream.withBytes { key in
      unsafe body.withMutableBytes { bytes in
        for index in bytes.indices { unsafe bytes[index] ^= key[index] }
      }
    }
  }

  /// Whether the digest is right, where it is the password's check, and the public half belongs to the secret one: a key that
  /// signs with another's public half gives itself away.
  private static func isWhole(_ body: borrowing SecureBytes, isChecked: Bool) throws(Failure) -> Bool {
    let known = try SecureBytes(count: 74)
    let derived = try SecureBytes(count: 64)
    return unsafe body.withBytes { bytes in
      unsafe known.withMutableBytes { target in
        unsafe target.copyBytes(from: MinisignFormat.legacy)
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[2...]).copyBytes(from: bytes[..<72])
      }
      var digest = [UInt8](repeating: 0, count: 32)
      unsafe known.withPointer { _ = unsafe crypto_generichash(&digest, 32, $0, 74, nil, 0) }
      let isRight = unsafe sodium_memcmp(digest, bytes.baseAddress.map { unsafe $0 + 72 }, 32) == 0
      guard isRight || !isChecked else { return false }
      var publicHalf = [UInt8](repeating: 0, count: 32)
      return unsafe derived.withPointer { secret in
        guard let base = bytes.baseAddress else { return false }
        _ = unsafe crypto_sign_seed_keypair(&publicHalf, secret, base.assumingMemoryBound(to: UInt8.self) + 8)
        return unsafe publicHalf.elementsEqual(bytes[40..<72])
      }
    }
  }
}
