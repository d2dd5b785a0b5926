internal import Basics
internal import SecureMemory
internal import Vault

/// A change that has been decided and may not have been carried out in full: the item with the key `@pending`. It holds
/// all that is needed to carry the change out again from any point, so that once it is written the change is made.
///
/// ```
/// 1   kind: 1 a change, 2 the removal of the whole vault
/// 16  vault id
/// 8   when the vault was made, seconds since 1970
/// 4   how many keys to remove, then for each: 1 length, key
/// 4   how many values to set, then for each: 1 length, key; 8 updated at; 4 length, value
/// ```
/// Its generation is the one that the vault has afterwards.
struct Journal {
  enum Kind: UInt8 { case change = 1, destroy = 2 }

  let kind: Kind
  /// The vault's metadata after the change.
  let metadata: Metadata
  let removed: [KeyName]
  let set: [(name: KeyName, entry: VaultContents.Entry)]

  init(kind: Kind, metadata: Metadata, removed: [KeyName], set: [(name: KeyName, entry: VaultContents.Entry)]) {
    (self.kind, self.metadata, self.removed, self.set) = (kind, metadata, removed, set)
  }

  /// What `contents` has become from a vault with that metadata.
  init(changesOf contents: VaultContents, from metadata: Metadata) throws(Failure) {
    let (next, overflow) = contents.generation.addingReportingOverflow(1)
    guard !overflow else { throw Failure(.vaultDamaged, "the vault's generation cannot rise any further") }
    var after = metadata
    after.generation = next
    let names = contents.changes.sorted()
    self.init(
      kind: .change, metadata: after, removed: names.filter { contents[$0] == nil },
      set: names.compactMap { name in contents[name].map { (name, $0) } })
  }

  func item() throws(Failure) -> Item {
    Item(
      key: ItemAttributes.journalKey, generation: metadata.generation, updatedAt: .now(),
      value: SecureBox(try encoded()))
  }

  private func encoded() throws(Failure) -> SecureBytes {
    var count = 1 + Metadata.idCount + 8 + 4 + 4
    for name in removed { count += 1 + name.text.utf8.count }
    for (name, entry) in set { count += 1 + name.text.utf8.count + 8 + 4 + entry.value.count }
    var writer = try ByteWriter(count: count)
    try writer.put(kind.rawValue)
    try writer.put(metadata.vaultID.bytes)
    try writer.put(metadata.madeAt.seconds)
    try writer.put(UInt32(clamping: removed.count))
    for name in removed { try writer.put(name: name.text) }
    try writer.put(UInt32(clamping: set.count))
    for (name, entry) in set {
      guard let size = UInt32(exactly: entry.value.count) else { throw Failure(.usage, "\(name) is over 4 GiB") }
      try writer.put(name: name.text)
      try writer.put(entry.updatedAt.seconds)
      try writer.put(size)
      try writer.put(entry.value)
    }
    return try writer.finish()
  }

  /// Reads a journal; nil when the item is none, or not a whole one.
  init?(_ item: Item) throws(Failure) {
    let journal = try unsafe item.value.bytes.withBytes { bytes throws(Failure) -> Journal? in
      var reader = unsafe ItemReader(bytes)
      guard let kindNumber = reader.number(UInt8.self) else { return nil }
      // Not "unreadable": that would be removed as if it had never been complete.
      guard let kind = Kind(rawValue: kindNumber) else {
        throw Failure(
          .vaultNewerFormat, "the keyring holds a change of a kind that this mfsctl does not know",
          hint: "finish it with the newer mfsctl that began it")
      }
      guard let id = try reader.secret(count: Metadata.idCount),
        let madeAt = reader.number(Int64.self), let removedCount = reader.number(UInt32.self)
      else { return nil }
      var removed: [KeyName] = []
      for _ in 0..<removedCount {
        guard let name = reader.name().flatMap(Journal.keyName) else { return nil }
        removed.append(name)
      }
      guard let setCount = reader.number(UInt32.self) else { return nil }
      var set: [(name: KeyName, entry: VaultContents.Entry)] = []
      for _ in 0..<setCount {
        guard let name = reader.name().flatMap(Journal.keyName), let time = reader.number(Int64.self),
          let count = reader.number(UInt32.self), let value = try reader.secret(count: Int(count))
        else { return nil }
        set.append(
          (name, VaultContents.Entry(value: try value.bytes.copy(), updatedAt: Timestamp(seconds: time))))
      }
      guard reader.remaining == 0 else { return nil }
      let metadata = Metadata(vaultID: id, madeAt: Timestamp(seconds: madeAt), generation: item.generation)
      return Journal(kind: kind, metadata: metadata, removed: removed, set: set)
    }
    guard let journal else { return nil }
    self = journal
  }

  private static func keyName(_ text: String) -> KeyName? { try? KeyName(text) }
}
