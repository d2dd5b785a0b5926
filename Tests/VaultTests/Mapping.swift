import Basics

/// One mapping of a process's memory.
struct Mapping {
  let start: UInt64
  let end: UInt64
  let isReadable: Bool
  let name: String
  var flags: [Substring] = []

  /// Locked in memory (`lo`) and left out of core dumps (`dd`).
  var isGuarded: Bool { flags.contains("lo") && flags.contains("dd") }

  static func all(_ pid: Int32) throws -> [Mapping] {
    var maps: [Mapping] = []
    // Foundation takes a file of size 0, as those of /proc are, for a short one.
    let text = String(decoding: try Files.read("/proc/\(pid)/smaps", limit: 1 << 22), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix("VmFlags:") {
        maps[maps.count - 1].flags = Array(words.dropFirst())
      } else if let dash = words[0].firstIndex(of: "-"), let start = UInt64(words[0][..<dash], radix: 16),
        let end = UInt64(words[0][words[0].index(after: dash)...], radix: 16)
      {
        let name = words.count > 5 ? String(words[5]) : "anonymous memory"
        maps.append(
          Mapping(start: start, end: end, isReadable: words[1].hasPrefix("r") && name != "[vvar]", name: name))
      }
    }
    return maps
  }
}
