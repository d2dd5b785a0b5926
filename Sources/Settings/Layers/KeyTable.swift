/// Numbers for key names: the same bytes always get the same number, in the order in which they were first seen. A hash
/// table over one array of bytes, so that reading thousands of keys makes no strings.
struct KeyTable {
  private var names: [UInt8] = []
  private var ends: [Int] = []
  /// One more than a key's number, 0 for a free slot; a power of two long.
  private var slots: [UInt32]
  private var hashes: [UInt32] = []
  private let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

  /// A table that will hold about so many keys.
  init(expecting count: Int) {
    var size = 256
    while size < count * 2 { size *= 2 }
    slots = Array(repeating: 0, count: size)
    ends.reserveCapacity(count)
    hashes.reserveCapacity(count)
    names.reserveCapacity(count * 16)
  }

  /// How many keys there are; their numbers are below it.
  var count: Int { ends.count }

  /// The number of a key, given now if it has none.
  mutating func number(_ key: ArraySlice<UInt8>) -> Int {
    if (ends.count + 1) * 2 > slots.count { grow() }
    let hash = hash(key)
    let (found, slot) = find(key, hash)
    if let found { return found }
    names.append(contentsOf: key)
    ends.append(names.count)
    hashes.append(hash)
    slots[slot] = UInt32(ends.count)
    return ends.count - 1
  }

  /// The number of a name.
  mutating func number(_ name: String) -> Int { number(Array(name.utf8)[...]) }

  /// The number of a key that has one.
  func lookUp(_ key: ArraySlice<UInt8>) -> Int? { find(key, hash(key)).number }

  /// The bytes of a key.
  func bytes(_ number: Int) -> ArraySlice<UInt8> { names[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }

  /// The name of a key.
  func name(_ number: Int) -> String { String(decoding: bytes(number), as: UTF8.self) }

  private func find(_ key: ArraySlice<UInt8>, _ hash: UInt32) -> (number: Int?, slot: Int) {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if hashes[number] == hash, bytes(number) == key { return (number, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for number in 0..<ends.count {
      var slot = Int(hashes[number]) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(number + 1)
    }
  }

  /// Folded multiplication with a seed of this process's own, so that no file can be written to make its keys collide.
  private func hash(_ key: ArraySlice<UInt8>) -> UInt32 {
    unsafe key.withUnsafeBytes { buffer in
      var state = seed.0 ^ UInt64(buffer.count)
      var offset = 0
      while offset + 8 <= buffer.count {
        state = mix(state ^ (unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        offset += 8
      }
      var tail: UInt64 = 0
      while offset < buffer.count {
        tail = tail << 8 | UInt64(unsafe buffer[offset])
        offset += 1
      }
      return UInt32(truncatingIfNeeded: mix(state ^ tail))
    }
  }

  private func mix(_ value: UInt64) -> UInt64 {
    let (high, low) = (value ^ seed.1).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return high ^ low
  }
}
