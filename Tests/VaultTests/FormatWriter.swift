import CSodium

/// A second implementation of docs/VAULT-FORMAT.md, for writing only and from that page only: no line of it is shared
/// with the product. Every random part is given, so that it makes the same file each time.
struct FormatWriter {
  enum Slot {
    case passphrase(String, passes: UInt32, kibibytes: UInt32)
    case keyFile([UInt8])
    case raw(type: UInt16, [UInt8])
  }

  struct Entry {
    var name: String
    var value: [UInt8]
    var time: Int64 = 1_700_000_000
    var flags: UInt8 = 0
  }

  var version: UInt16 = 1
  var generation: UInt64 = 7
  var vaultID = Array(UInt8(0)..<16)
  var masterKey = [UInt8](repeating: 0x4B, count: 32)
  var nonce = [UInt8](repeating: 0x6E, count: 24)
  var slots: [Slot]
  var labels: [String] = []
  var entries: [Entry]
  /// Replaces the commitment when it is not nil.
  var commitment: [UInt8]?
  /// Replaces the plaintext when it is not nil.
  var plaintext: [UInt8]?

  func file() -> [UInt8] {
    let records = slots.enumerated().flatMap { record($1, id: UInt16($0 + 1)) }
    let plain = plaintext ?? padded()
    var header = Array("MFSVAULT".utf8) + le(version) + le(UInt16(slots.count)) + le(UInt32(104 + records.count))
    header += le(generation) + vaultID + (commitment ?? derive(masterKey, "mfsctl vault 1 commitment"))
    header += nonce + le(UInt64(plain.count + 16)) + records
    return header + seal(plain, key: derive(masterKey, "mfsctl vault 1 body"), nonce: nonce, associated: header)
  }

  private func record(_ slot: Slot, id: UInt16) -> [UInt8] {
    let label = Array((labels.indices.contains(Int(id) - 1) ? labels[Int(id) - 1] : "").utf8)
    let slotNonce = [UInt8](repeating: 0xA0 + UInt8(id), count: 24)
    func head(_ type: UInt16, _ own: Int) -> [UInt8] {
      le(type) + le(id) + le(UInt32(18 + label.count + own)) + le(UInt64(1_600_000_000)) + le(UInt16(label.count))
        + label
    }
    let clear: [UInt8]
    let key: [UInt8]
    switch slot {
    case .raw(let type, let bytes): return head(type, bytes.count) + bytes
    case .keyFile(let file):
      clear = head(2, 72) + slotNonce
      key = derive(file, "mfsctl vault 1 key file")
    case .passphrase(let passphrase, let passes, let kibibytes):
      let salt = [UInt8](repeating: 0x50 + UInt8(id), count: 16)
      clear = head(1, 96) + le(passes) + le(kibibytes) + salt + slotNonce
      key = argon(passphrase, salt, passes, kibibytes)
    }
    return clear + seal(masterKey, key: key, nonce: slotNonce, associated: vaultID + clear)
  }

  private func padded() -> [UInt8] {
    var plain = le(UInt32(entries.count))
    for entry in entries {
      plain += [UInt8(entry.name.utf8.count), entry.flags] + le(UInt32(entry.value.count))
      plain += le(UInt64(bitPattern: entry.time)) + Array(entry.name.utf8) + entry.value
    }
    var power = 1
    while power * 2 <= plain.count { power *= 2 }
    let block = max(256, power / 8)
    while plain.count % block != 0 { plain.append(0) }
    return plain
  }

  private func derive(_ key: [UInt8], _ purpose: String) -> [UInt8] {
    let message = Array(purpose.utf8) + vaultID
    var out = [UInt8](repeating: 0, count: 32)
    crypto_generichash(&out, 32, message, UInt64(message.count), key, key.count)
    return out
  }

  private func argon(_ passphrase: String, _ salt: [UInt8], _ passes: UInt32, _ kibibytes: UInt32) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: 32)
    // A cost beyond the limits is not paid here either: such a slot is made to be refused.
    _ = crypto_pwhash(
      &out, 32, passphrase, UInt64(passphrase.utf8.count), salt, UInt64(min(passes, 64)),
      min(Int(kibibytes) * 1_024, 64 << 20), crypto_pwhash_alg_argon2id13())
    return out
  }

  private func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: plain.count + 16)
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      &out, nil, plain, UInt64(plain.count), associated, UInt64(associated.count), nil, nonce, key)
    return out
  }

  private func le<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
}

extension FormatWriter {
  static let keyFile = [UInt8](repeating: 0x6B, count: 32)
  static let passphrase = "correct horse battery staple"

  /// What the golden files hold: text, an empty value, bytes that are no text, and one longer than a block.
  static let goldenEntries = [
    Entry(name: "auth.empty", value: [], time: 0),
    Entry(name: "auth.identifier", value: Array("alice@example.com".utf8)),
    Entry(name: "auth.sessionId", value: [0x00, 0xFF, 0x0A, 0x0D, 0x22, 0x5C, 0x80], time: -1),
    Entry(name: "mfs.dbkey.main", value: (0..<300).map { UInt8($0 % 251) }, time: 1_767_225_600),
  ]

  static let golden: [String: FormatWriter] = [
    "keyfile-v1.mfsv": FormatWriter(
      slots: [.keyFile(keyFile)], labels: ["build machine"], entries: goldenEntries),
    "passphrase-v1.mfsv": FormatWriter(
      slots: [.passphrase(passphrase, passes: 1, kibibytes: 8_192)], entries: goldenEntries),
    "three-slots-v1.mfsv": FormatWriter(
      generation: 4_294_967_296,
      slots: [
        .raw(type: 77, [1, 2, 3]), .passphrase(passphrase, passes: 2, kibibytes: 9_000), .keyFile(keyFile),
      ], labels: ["from the future", "Büro", ""], entries: goldenEntries),
    "empty-v1.mfsv": FormatWriter(generation: 1, slots: [.keyFile(keyFile)], entries: []),
  ]
}
