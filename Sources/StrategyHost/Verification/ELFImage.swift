/// What an ELF shared object (gABI, 64-bit, little-endian) says about how it is loaded. Everything is read through
/// bounds-checked accessors: the bytes are from outside. The dynamic section is found as the loader finds it, by
/// address in the loaded segments, since the offsets in the file may say something else.
struct ELFImage {
  /// Its machine.
  let machine: UInt16
  /// DT_NEEDED, in order.
  let needed: [String]
  /// DT_RPATH and DT_RUNPATH, each split at colons.
  let searchPaths: [String]
  /// Whether a segment can be both written and executed, or the stack executed.
  let hasWritableCode: Bool
  let hasExecutableStack: Bool
  /// Whether code is changed while it is loaded.
  let hasTextRelocations: Bool
  /// Whether it asks the loader for more objects by other means (audit, filter).
  let hasLoaderHooks: Bool

  /// Why bytes cannot be read as a shared object.
  struct Unreadable: Error, Equatable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(Unreadable) {
    let reader = unsafe ByteView(bytes)
    let identity: [UInt8] = try (0..<16).map { (index) throws(Unreadable) in try reader.integer(at: UInt64(index)) }
    guard identity[..<4] == [0x7F, 0x45, 0x4C, 0x46] else { throw Unreadable("it is not an ELF file") }
    guard identity[4] == 2, identity[5] == 1, identity[6] == 1 else {
      throw Unreadable("it is not a 64-bit little-endian ELF file")
    }
    let type: UInt16 = try reader.integer(at: 16)
    guard type == 3 else { throw Unreadable("it is not a shared object") }
    machine = try reader.integer(at: 18)
    let segments = try Segment.all(reader)
    let loaded = try LoadedView(reader, segments)
    guard let stack = segments.last(where: { $0.type == Segment.stack }) else {
      throw Unreadable("it does not say that its stack is not executable")
    }
    hasExecutableStack = stack.isExecutable
    hasWritableCode = segments.contains { $0.type == Segment.load && $0.isExecutable && $0.isWritable }
    let entries = try ELFImage.dynamicEntries(segments, loaded)
    func values(_ tags: UInt64...) -> [UInt64] { entries.filter { tags.contains($0.tag) }.map(\.value) }
    let flags = values(30).reduce(0, |)
    hasTextRelocations = !values(22).isEmpty || flags & 4 != 0
    // DT_AUXILIARY, DT_FILTER, DT_AUDIT, DT_DEPAUDIT, DT_CONFIG.
    hasLoaderHooks = !values(0x7FFF_FFFD, 0x7FFF_FFFF, 0x6FFF_FEFC, 0x6FFF_FEFB, 0x6FFF_FEFA).isEmpty
    guard let table = values(5).last, let size = values(10).last else { throw Unreadable("it has no string table") }
    func string(_ offset: UInt64) throws(Unreadable) -> String {
      try loaded.string(table: table, size: size, offset: offset)
    }
    needed = try values(1).map(string)
    var paths: [String] = []
    for value in values(15, 29) {
      paths += try string(value).split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
    searchPaths = paths
  }

  private static func dynamicEntries(
    _ segments: [Segment], _ loaded: LoadedView
  ) throws(Unreadable) -> [(tag: UInt64, value: UInt64)] {
    let sections = segments.filter { $0.type == Segment.dynamic }
    guard sections.count == 1, let section = sections.first else {
      throw Unreadable("it has no dynamic section, or several")
    }
    var entries: [(tag: UInt64, value: UInt64)] = []
    while entries.count < 4_096 {
      let address = section.address &+ UInt64(entries.count) * 16
      let tag: UInt64 = try loaded.integer(at: address)
      if tag == 0 { return entries }
      entries.append((tag, try loaded.integer(at: address &+ 8)))
    }
    throw Unreadable("its dynamic section has no end")
  }
}

/// A program header.
struct Segment {
  static let load: UInt32 = 1
  static let dynamic: UInt32 = 2
  static let stack: UInt32 = 0x6474_E551

  let type: UInt32
  let flags: UInt32
  let offset: UInt64
  let address: UInt64
  let fileSize: UInt64
  let memorySize: UInt64

  var isExecutable: Bool { flags & 1 != 0 }
  var isWritable: Bool { flags & 2 != 0 }

  static func all(_ reader: ByteView) throws(ELFImage.Unreadable) -> [Segment] {
    let start: UInt64 = try reader.integer(at: 32)
    let size: UInt16 = try reader.integer(at: 54), count: UInt16 = try reader.integer(at: 56)
    guard size == 56, (1...64).contains(count) else {
      throw ELFImage.Unreadable("its table of segments cannot be understood")
    }
    var segments: [Segment] = []
    for index in 0..<UInt64(count) {
      let (at, overflow) = start.addingReportingOverflow(index * 56)
      guard !overflow, at < 1 << 40 else { throw ELFImage.Unreadable("its table of segments is outside the file") }
      segments.append(
        Segment(
          type: try reader.integer(at: at), flags: try reader.integer(at: at + 4),
          offset: try reader.integer(at: at + 8), address: try reader.integer(at: at + 16),
          fileSize: try reader.integer(at: at + 32), memorySize: try reader.integer(at: at + 40)))
    }
    return segments
  }
}
