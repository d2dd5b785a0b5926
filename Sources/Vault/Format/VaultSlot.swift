public import Basics

/// One way to unlock a vault file: a record in its header that wraps the master key.
public struct VaultSlot: Sendable, Equatable {
  /// What opens it.
  public enum Kind: Sendable, Equatable {
    /// A passphrase, through Argon2id.
    case passphrase(PassphraseKDF, salt: [UInt8])
    /// A file of 32 random bytes.
    case keyFile
    /// Something this version does not know; kept as it is.
    case unknown(type: UInt16)
  }

  /// 1 or more, unique in its vault.
  public let id: UInt16
  /// What opens it.
  public let kind: Kind
  /// The owner's name for it; may be empty.
  public let label: String
  /// When it was added.
  public let created: Timestamp
  /// The record as it stands in the file.
  let record: [UInt8]

  /// `passphrase`, `keyfile`, or `unknown-N`.
  public var typeName: String {
    switch kind {
    case .passphrase: "passphrase"
    case .keyFile: "keyfile"
    case .unknown(let type): "unknown-\(type)"
    }
  }

  static let commonSize = 18
  static let passphraseSize = 4 + 4 + VaultSlot.saltSize + VaultSlot.sealSize
  static let keyFileSize = VaultSlot.sealSize
  static let saltSize = 16
  static let sealSize = Cipher.nonceSize + Cipher.wrappedKeySize

  /// Reads the record at the front of `reader`. Throws ``FailureCode/vaultDamaged``.
  init(_ reader: inout ByteReader<ArraySlice<UInt8>>, in header: [UInt8]) throws(Failure) {
    let start = reader.offset
    guard let type = reader.integer(UInt16.self), let id = reader.integer(UInt16.self),
      let size = reader.integer(UInt32.self), let created = reader.integer(UInt64.self),
      let labelSize = reader.integer(UInt16.self)
    else { throw VaultFormat.damaged("a slot is cut short") }
    let rest = Int(size) - VaultSlot.commonSize - Int(labelSize)
    guard Int(size) <= VaultFormat.maximumSlotSize, Int(labelSize) <= VaultFormat.maximumLabelSize, rest >= 0,
      let label = reader.array(Int(labelSize)), let own = reader.range(rest)
    else { throw VaultFormat.damaged("a slot has an impossible size") }
    guard id > 0, let created = Int64(exactly: created), let label = String(validating: label, as: UTF8.self) else {
      throw VaultFormat.damaged("a slot cannot be read")
    }
    self.id = id
    self.label = label
    self.created = Timestamp(seconds: created)
    record = Array(header[start..<own.upperBound])
    var fields = ByteReader(header[own])
    switch type {
    case 1:
      guard rest == VaultSlot.passphraseSize, let operations = fields.integer(UInt32.self),
        let memory = fields.integer(UInt32.self), let salt = fields.array(VaultSlot.saltSize)
      else { throw VaultFormat.damaged("a passphrase slot has an impossible size") }
      kind = .passphrase(PassphraseKDF(operations: operations, kibibytes: memory), salt: salt)
    case 2:
      guard rest == VaultSlot.keyFileSize else { throw VaultFormat.damaged("a key file slot has an impossible size") }
      kind = .keyFile
    default: kind = .unknown(type: type)
    }
  }

  init(id: UInt16, kind: Kind, label: String, created: Timestamp, record: [UInt8]) {
    self.id = id
    self.kind = kind
    self.label = label
    self.created = created
    self.record = record
  }
}
