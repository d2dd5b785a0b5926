/// Numbers for key names: the same bytes always get the same number, in the order in which they were first seen. A hash
/// table over one array of bytes, so that reading thousands of keys makes no strings.
struct KeyTable {
  private var names: [UInt8] = []
  private var ends: [Int] = []
  /// One more than a key's number, 0 for a free slot; a power of two long.
  private var slots: [UInt32] = Array(repeating: 0, count: 256)

  /// How many keys there are; their numbers are below it.
  var count: Int { ends.count }

  /// The number of a key, given now if it has none.
  mutating func number(_ key: ArraySlice<UInt8>) -> Int {
    if (ends.count + 1) * 2 > slots.count { grow() }
    let (found, slot) = find(key)
    if let found { return found }
    names.append(contentsOf: key)
    ends.append(names.count)
    slots[slot] = UInt32(ends.count)
    return ends.count - 1
  }

  /// The number of a name.
  mutating func number(_ name: String) -> Int { number(Array(name.utf8)[...]) }

  /// The number of a key that has one.
  func lookUp(_ key: ArraySlice<UInt8>) -> Int? { find(key).number }

  /// The bytes of a key.
  func bytes(_ number: Int) -> ArraySlice<UInt8> { names[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }

  /// The name of a key.
  func name(_ number: Int) -> String { String(decoding: bytes(number), as: UTF8.self) }

  private func find(_ key: ArraySlice<UInt8>) -> (number: Int?, slot: Int) {
    let mask = slots.count - 1
    var slot = hash(key) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if bytes(number) == key { return (number, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for number in 0..<ends.count {
      var slot = hash(bytes(number)) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Seeded per process, so that no file can be written to make all its keys collide.
  private func hash(_ key: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
