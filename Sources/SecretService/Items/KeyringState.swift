internal import Basics
internal import SecureMemory
internal import Vault

/// All items of a profile as they were at one moment, sorted out: of several with one key the newest counts.
struct KeyringState {
  /// One key's item and the paths of everything that claims to be it.
  struct Slot {
    var item: Item
    /// The newest one's first.
    var paths: [String]
  }

  private(set) var slots: [String: Slot] = [:]
  /// The paths of items that cannot be read, by their key attribute.
  private(set) var unreadable: [String: [String]] = [:]
  /// What was asked for and what of it was there.
  let paths: Set<String>
  private(set) var isWhole = true

  /// Reads the profile's items.
  init(_ keyring: Keyring) throws(Failure) {
    let found = try keyring.search()
    paths = Set(found)
    let secrets = try keyring.secrets(at: found)
    for path in found {
      guard let secret = secrets[path] else {
        isWhole = false
        continue
      }
      if case .bytes(let box) = secret, let item = try Item(box.bytes) {
        add(item, path)
      } else if let key = try keyring.key(of: path) {
        unreadable[key, default: []].append(path)
      } else {
        isWhole = false
      }
    }
  }

  private mutating func add(_ item: Item, _ path: String) {
    guard let slot = slots[item.key] else {
      slots[item.key] = Slot(item: item, paths: [path])
      return
    }
    let isNewer = (item.generation, item.updatedAt) > (slot.item.generation, slot.item.updatedAt)
    slots[item.key] = Slot(
      item: isNewer ? item : slot.item, paths: isNewer ? [path] + slot.paths : slot.paths + [path])
  }

  var metadata: Metadata? { slots[ItemAttributes.metadataKey].flatMap { Metadata($0.item) } }

  func journal() throws(Failure) -> Journal? {
    guard let item = slots[ItemAttributes.journalKey]?.item else { return nil }
    return try Journal(item)
  }

  /// Whether there is anything under the journal's key, be it readable or not.
  var hasJournal: Bool { !paths(of: ItemAttributes.journalKey).isEmpty }

  /// Everything that claims to be the item with this key.
  func paths(of key: String) -> [String] { (slots[key]?.paths ?? []) + (unreadable[key] ?? []) }

  /// The highest generation that any value was written at.
  var newestValue: UInt64 {
    slots.filter { $0.key != ItemAttributes.journalKey }.map(\.value.item.generation).max() ?? 0
  }

  /// Whether this can be what one finished change left: no change was under way when it was read.
  var isSettled: Bool {
    guard let metadata else { return !hasJournal }
    return isWhole && !hasJournal && newestValue <= metadata.generation
  }

  /// The vault's contents. Throws ``FailureCode/vaultNotInitialised`` when there is no vault, and
  /// ``FailureCode/vaultDamaged`` when its items are not all there or not ours.
  func contents(_ attributes: ItemAttributes) throws(Failure) -> VaultContents {
    if let key = unreadable.keys.sorted().first(where: { $0 != ItemAttributes.journalKey }) {
      throw Failure(
        .vaultDamaged, "the keyring's item '\(OutsideText.clean(key))' of profile \(attributes.profile) cannot be read",
        hint: "if nothing else can restore it, remove it: \(attributes.clearCommand(key: key))")
    }
    guard let metadata else { throw try missingMetadata(attributes) }
    var entries: [KeyName: VaultContents.Entry] = [:]
    for (key, slot) in slots where !key.hasPrefix("@") {
      let value = try slot.item.value.bytes.copy()
      entries[try KeyName(key)] = VaultContents.Entry(value: value, updatedAt: slot.item.updatedAt)
    }
    return VaultContents(generation: max(metadata.generation, newestValue), entries: entries)
  }

  private func missingMetadata(_ attributes: ItemAttributes) throws(Failure) -> Failure {
    guard paths.isEmpty else {
      return Failure(
        .vaultDamaged,
        "the keyring holds items of profile \(attributes.profile), but not the one that makes them a vault",
        hint: "if they are not needed, remove them: \(attributes.clearCommand())")
    }
    return .notInitialised(attributes.profile)
  }
}

extension Failure {
  /// The profile has no vault in the keyring.
  static func notInitialised(_ profile: ProfileName) -> Failure {
    Failure(
      .vaultNotInitialised, "profile \(profile) has no vault in the keyring",
      hint: "make one: 'mfsctl vault init --backend secret-service'")
  }
}
