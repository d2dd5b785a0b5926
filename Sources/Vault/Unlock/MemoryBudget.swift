internal import Basics

/// How much memory this process can still use before the kernel refuses or kills it.
enum MemoryBudget {
  /// Bytes free on the machine and within the control groups above this process; nil when neither can be told.
  static func available() -> UInt64? {
    let machine = read("/proc/meminfo").flatMap { field("MemAvailable:", in: $0) }.map { $0 << 10 }
    return [machine, controlGroup()].compactMap { $0 }.min()
  }

  /// The tightest of the control groups (version 2) from the process's own up to the root.
  private static func controlGroup() -> UInt64? {
    guard let groups = read("/proc/self/cgroup"),
      let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return nil }
    var names = line.dropFirst(4).split(separator: "/")
    var tightest: UInt64?
    while true {
      let folder = "/sys/fs/cgroup/" + names.map { $0 + "/" }.joined()
      if let limit = number(folder + "memory.max"), let used = number(folder + "memory.current") {
        tightest = min(tightest ?? .max, limit > used ? limit - used : 0)
      }
      if names.popLast() == nil { return tightest }
    }
  }

  private static func number(_ path: String) -> UInt64? {
    read(path).flatMap { $0.split(separator: "\n").first }.flatMap { UInt64($0) }
  }

  private static func field(_ name: String, in text: String) -> UInt64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
  }

  private static func read(_ path: String) -> String? {
    guard let bytes = try? Files.read(path, limit: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
