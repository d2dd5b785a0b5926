internal import Basics
public import SecureMemory

/// What opens a slot.
public enum UnlockSecret {
  /// A passphrase, without its line end.
  case passphrase(SecureBox)
  /// The 32 bytes of a key file.
  case keyFile(SecureBox)

  /// The size of a key file.
  public static let keyFileSize = 32

  var noun: String {
    switch self {
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    }
  }

  /// The type of the slots that it can open, as ``VaultSlot/typeName`` has it.
  var typeName: String {
    switch self {
    case .passphrase: "passphrase"
    case .keyFile: "keyfile"
    }
  }

  /// The key that wraps the master key in a slot of this kind.
  func keyEncryptionKey(for kind: VaultSlot.Kind, vaultID: [UInt8]) throws(Failure) -> SecureBytes {
    switch (self, kind) {
    case (.passphrase(let passphrase), .passphrase(let kdf, let salt)):
      return try kdf.derive(from: passphrase.bytes, salt: salt)
    case (.keyFile(let key), .keyFile):
      guard key.bytes.count == UnlockSecret.keyFileSize else {
        throw Failure(.vaultWrongKey, "a key file has exactly \(UnlockSecret.keyFileSize) bytes")
      }
      return try Cipher.derive(from: key.bytes, purpose: "mfsctl vault 1 key file", context: vaultID)
    default: throw Failure(.bug, "a secret was tried on a slot of another kind")
    }
  }
}
