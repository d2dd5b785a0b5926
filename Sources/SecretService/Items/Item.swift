internal import Basics
internal import SecureMemory

/// One item of the keyring under its base64: `MFSI`, version 1, the item's key, the generation and the moment it was
/// written at, and the value. The key is in it because the secrets of all items are fetched in one call, without
/// their attributes; the generation tells which of several items with one key is the newest.
///
/// ```
/// 4  "MFSI"
/// 1  version, 1
/// 1  length of the key, then the key
/// 8  generation, little-endian
/// 8  seconds since 1970, signed, little-endian
/// n  value
/// ```
struct Item {
  let key: String
  let generation: UInt64
  let updatedAt: Timestamp
  let value: SecureBox

  // "MFSI"
  private static let magic: UInt32 = 0x4953_464D
  private static let version: UInt8 = 1

  init(key: String, generation: UInt64, updatedAt: Timestamp, value: SecureBox) {
    (self.key, self.generation, self.updatedAt, self.value) = (key, generation, updatedAt, value)
  }

  /// Reads an item; nil when the bytes are none. Throws ``FailureCode/vaultNewerFormat`` for a later version.
  init?(_ bytes: borrowing SecureBytes) throws(Failure) {
    let item = try unsafe bytes.withBytes { bytes throws(Failure) -> Item? in
      var reader = unsafe ItemReader(bytes)
      guard reader.number() == Item.magic, let version = reader.number(UInt8.self) else { return nil }
      guard version == Item.version else {
        throw Failure(
          .vaultNewerFormat, "the keyring holds items of version \(version); this mfsctl knows \(Item.version)",
          hint: "use a newer mfsctl")
      }
      guard let key = reader.name(), let generation = reader.number(UInt64.self), let time = reader.number(Int64.self),
        let value = try reader.secret(count: reader.remaining)
      else { return nil }
      return Item(key: key, generation: generation, updatedAt: Timestamp(seconds: time), value: value)
    }
    guard let item else { return nil }
    self = item
  }

  func encoded() throws(Failure) -> SecureBytes {
    var writer = try ByteWriter(count: 4 + 1 + 1 + key.utf8.count + 8 + 8 + value.bytes.count)
    try writer.put(Item.magic)
    try writer.put(Item.version)
    try writer.put(name: key)
    try writer.put(generation)
    try writer.put(updatedAt.seconds)
    try writer.put(value.bytes)
    return try writer.finish()
  }
}
