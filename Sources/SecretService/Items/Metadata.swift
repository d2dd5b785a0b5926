internal import Basics
internal import SecureMemory

/// What makes a profile's items a vault: the item with the key `@vault`. Its value is the vault's id (16 random bytes),
/// its moment the one the vault was made at, its generation the vault's.
struct Metadata {
  let vaultID: SecureBox
  let madeAt: Timestamp
  var generation: UInt64

  static let idCount = 16

  init(vaultID: SecureBox, madeAt: Timestamp, generation: UInt64) {
    (self.vaultID, self.madeAt, self.generation) = (vaultID, madeAt, generation)
  }

  /// A new vault's.
  static func new() throws(Failure) -> Metadata {
    Metadata(vaultID: SecureBox(try .random(count: idCount)), madeAt: .now(), generation: 1)
  }

  init?(_ item: Item) {
    guard item.value.bytes.count == Metadata.idCount else { return nil }
    self.init(vaultID: item.value, madeAt: item.updatedAt, generation: item.generation)
  }

  var item: Item {
    Item(key: ItemAttributes.metadataKey, generation: generation, updatedAt: madeAt, value: vaultID)
  }
}
