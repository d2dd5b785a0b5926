public import Basics
public import SecureMemory

/// What is in a vault at one moment: names, values and when each was last set. Values stay in guarded memory.
public final class VaultContents {
  /// One value.
  public final class Entry {
    /// The value's bytes.
    public let value: SecureBytes
    /// When it was last set.
    public let updatedAt: Timestamp

    /// A value set at a moment.
    public init(value: consuming SecureBytes, updatedAt: Timestamp) {
      self.value = value
      self.updatedAt = updatedAt
    }
  }

  /// The vault's write counter when this was read.
  public let generation: UInt64
  /// The entries by name.
  public private(set) var entries: [KeyName: Entry]
  /// Which names have been set or removed since this was read.
  public private(set) var changes: Set<KeyName> = []

  /// The contents of a vault at a generation.
  public init(generation: UInt64, entries: [KeyName: Entry]) {
    self.generation = generation
    self.entries = entries
  }

  /// The names in order.
  public var names: [KeyName] { entries.keys.sorted() }

  /// The entry of a name; nil when there is none.
  public subscript(_ name: KeyName) -> Entry? { entries[name] }

  /// Sets a value.
  public func set(_ name: KeyName, _ value: consuming SecureBytes, at time: Timestamp = .now()) {
    entries[name] = Entry(value: value, updatedAt: time)
    changes.insert(name)
  }

  /// Removes a value and says whether it was there.
  @discardableResult
  public func remove(_ name: KeyName) -> Bool {
    guard entries.removeValue(forKey: name) != nil else { return false }
    changes.insert(name)
    return true
  }

  /// Removes every value whose name matches and returns those names in order.
  @discardableResult
  public func removeAll(where matches: (KeyName) -> Bool) -> [KeyName] {
    let names = entries.keys.filter(matches).sorted()
    for name in names { remove(name) }
    return names
  }
}
