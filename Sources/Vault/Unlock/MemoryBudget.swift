internal import Basics

/// How much memory this process can still use before the kernel refuses or kills it.
enum MemoryBudget {
  /// Bytes free on the machine and within the control groups above this process; nil when neither can be told.
  static func available() -> UInt64? {
    let machine = read("/proc/meminfo").flatMap { field("MemAvailable:", in: $0) }.map { $0 << 10 }
    return [machine, unified(), legacy()].compactMap { $0 }.min()
  }

  /// Version 2, where it is mounted alone or beside version 1.
  private static func unified() -> UInt64? {
    guard let path = path(line: { $0.hasPrefix("0::/") }) else { return nil }
    return ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].compactMap { root in
      tightest(root, path) { group in
        room(limit: number(group + "memory.max"), used: number(group + "memory.current"), group, "inactive_file")
      }
    }.min()
  }

  /// The memory controller of version 1.
  private static func legacy() -> UInt64? {
    guard let path = path(line: { $0.split(separator: ":").dropFirst().first == "memory" }) else { return nil }
    return tightest("/sys/fs/cgroup/memory", path) { group in
      room(
        limit: number(group + "memory.limit_in_bytes"), used: number(group + "memory.usage_in_bytes"), group,
        "total_inactive_file")
    }
  }

  /// What a group has left. Copies of files that nobody has used lately are given back before anything is refused.
  private static func room(limit: UInt64?, used: UInt64?, _ group: String, _ cache: String) -> UInt64? {
    guard let limit, let used else { return nil }
    let spare = read(group + "memory.stat").flatMap { field(cache, in: $0) } ?? 0
    let needed = used > spare ? used - spare : 0
    return limit > needed ? limit - needed : 0
  }

  /// The least that any group has left, from the process's own up to the root.
  private static func tightest(_ root: String, _ path: Substring, _ room: (String) -> UInt64?) -> UInt64? {
    var names = path.split(separator: "/")
    var tightest: UInt64?
    while true {
      if let left = room(root + "/" + names.map { $0 + "/" }.joined()) { tightest = min(tightest ?? .max, left) }
      if names.popLast() == nil { return tightest }
    }
  }

  /// The process's group in the hierarchy of a line of /proc/self/cgroup.
  private static func path(line matches: (Substring) -> Bool) -> Substring? {
    guard let groups = read("/proc/self/cgroup"),
      let line = groups.split(separator: "\n").first(where: matches)
    else { return nil }
    return line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first
  }

  private static func number(_ path: String) -> UInt64? {
    read(path).flatMap { $0.split(separator: "\n").first }.flatMap { UInt64($0) }
  }

  private static func field(_ name: String, in text: String) -> UInt64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
  }

  private static func read(_ path: String) -> String? {
    guard let bytes = try? Files.read(path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
