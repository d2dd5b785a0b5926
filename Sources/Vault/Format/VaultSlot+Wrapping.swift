internal import Basics
internal import SecureMemory

extension VaultSlot {
  /// What a new slot is made of besides its secret. The random parts are given, so that a file can be made again.
  struct Recipe {
    var id: UInt16
    var label = ""
    var created: Timestamp
    var kdf = PassphraseKDF.standard
    var salt: [UInt8]
    var nonce: [UInt8]

    /// A recipe with fresh random parts.
    static func fresh(
      id: UInt16, label: String, kdf: PassphraseKDF, created: Timestamp
    ) throws(Failure) -> Recipe {
      Recipe(
        id: id, label: label, created: created, kdf: kdf, salt: try Cipher.randomBytes(VaultSlot.saltSize),
        nonce: try Cipher.randomBytes(Cipher.nonceSize))
    }
  }

  /// A slot that wraps `masterKey` under a secret. Throws ``FailureCode/usage`` for a label that is too long or a KDF
  /// out of bounds.
  static func wrapping(
    _ masterKey: MasterKey, under secret: UnlockSecret, vaultID: [UInt8], recipe: Recipe
  ) throws(Failure) -> VaultSlot {
    let label = Array(recipe.label.utf8)
    // A clock that was never set may stand before 1970, which the record cannot say.
    let created = UInt64(max(0, recipe.created.seconds))
    guard label.count <= VaultFormat.maximumLabelSize else {
      throw Failure(.usage, "a slot's label is longer than \(VaultFormat.maximumLabelSize) bytes")
    }
    let kind: Kind
    var own: [UInt8] = []
    switch secret {
    case .passphrase:
      try recipe.kdf.check()
      kind = .passphrase(recipe.kdf, salt: recipe.salt)
      own.append(littleEndian: recipe.kdf.operations)
      own.append(littleEndian: recipe.kdf.kibibytes)
      own += recipe.salt
    case .keyFile: kind = .keyFile
    }
    own += recipe.nonce
    var record: [UInt8] = []
    record.append(littleEndian: kind == .keyFile ? 2 as UInt16 : 1)
    record.append(littleEndian: recipe.id)
    record.append(littleEndian: UInt32(commonSize + label.count + own.count + Cipher.wrappedKeySize))
    record.append(littleEndian: created)
    record.append(littleEndian: UInt16(label.count))
    record += label + own
    let key = try secret.keyEncryptionKey(for: kind, vaultID: vaultID)
    record += try Cipher.seal(masterKey.bytes, key: key, nonce: recipe.nonce, associated: vaultID + record)
    return VaultSlot(
      id: recipe.id, kind: kind, label: recipe.label, created: Timestamp(seconds: Int64(created)), record: record)
  }

  /// The master key, or nil when this is not the secret of this slot, or the slot was changed. The record itself up to
  /// the wrapped key, KDF parameters included, is authenticated. Throws what ``PassphraseKDF/check()`` does.
  func unwrap(with secret: UnlockSecret, vaultID: [UInt8]) throws(Failure) -> MasterKey? {
    switch (kind, secret) {
    case (.passphrase, .passphrase), (.keyFile, .keyFile): break
    default: return nil
    }
    let clear = Array(record.dropLast(Cipher.wrappedKeySize))
    let key = try secret.keyEncryptionKey(for: kind, vaultID: vaultID)
    guard
      let bytes = try Cipher.open(
        Array(record.suffix(Cipher.wrappedKeySize)), key: key, nonce: Array(clear.suffix(Cipher.nonceSize)),
        associated: vaultID + clear)
    else { return nil }
    return MasterKey(bytes: bytes)
  }
}
