internal import CLinux
internal import CSandbox
internal import Glibc
internal import StrategyRunner

/// The sandbox, built while the process has one thread and before any byte of the plugin is looked at.
///
/// The seccomp filter alone holds the line: no file can be opened and no socket made, on any kernel that has it. Landlock,
/// where the kernel has it, says the same a second time in another place of the kernel.
enum Isolation {
  /// The descriptor of the memfd with the plugin's bytes: verified and sealed when the parent says what to run.
  static let plugin: Int32 = 4
  /// The first descriptor that the parent does not hand over.
  private static let firstOther: UInt32 = 5

  /// Shuts the process in. Returns Landlock's ABI version, 0 when the kernel has none.
  static func enter() throws(Ending) -> UInt32 {
    guard unsafe environ.pointee == nil else {
      throw .refused("mfs-strategy-host was started with an environment; mfsctl starts it without one")
    }
    try checkDescriptors()
    guard clinux_no_new_privileges() == 0, clinux_forbid_dumps() == 0, clinux_die_with_parent(SIGKILL) == 0,
      clinux_drop_capabilities() == 0
    else { throw unavailable("process attributes") }
    try limitResources()
    csandbox_reset_crash_signals()
    try PermittedLibraries.offer()
    unsafe csandbox_set_plugin(PluginLibrary.path.pointer, plugin)
    let landlock = try restrictFiles()
    try filterSystemCalls()
    return landlock
  }

  /// A part of the sandbox that the kernel did not give.
  static func unavailable(_ part: String) -> Ending {
    .refused("no isolation: the kernel does not give a plugin's process its \(part)")
  }

  // What is inherited is the channel and the plugin, and the three standard descriptors lead nowhere: a plugin must not
  // write to the user's terminal, nor read from it.
  private static func checkDescriptors() throws(Ending) {
    guard clinux_close_range(firstOther, .max) == 0 else { throw unavailable("closed descriptors") }
    let null = unsafe clinux_open("/dev/null", O_RDWR | O_CLOEXEC, 0)
    guard null >= 0, (0...2).allSatisfy({ dup2(null, $0) == $0 }) else { throw unavailable("standard descriptors") }
    close(null)
    guard clinux_get_seals(plugin) >= 0 else { throw .refused("the plugin's memory is missing") }
  }

  /// Makes sure that the bytes that were verified are the bytes that will be loaded: sealed against everything. The parent
  /// seals them while this process starts.
  static func checkSeals() throws(Ending) {
    let seals = clinux_get_seals(plugin), all: Int32 = 0xF
    guard seals >= 0, seals & all == all else { throw .refused("the plugin did not arrive as sealed memory") }
  }

  private static func limitResources() throws(Ending) {
    let limits: [(__rlimit_resource, rlim_t)] = [
      (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 0), (RLIMIT_NOFILE, 32),
      (RLIMIT_AS, 1 << 30), (RLIMIT_STACK, 8 << 20), (RLIMIT_CPU, 60),
    ]
    for (resource, most) in limits {
      // A stricter limit of the parent's stays.
      let kind = __rlimit_resource_t(resource.rawValue)
      var limit = rlimit()
      guard unsafe getrlimit(kind, &limit) == 0 else { throw unavailable("limits") }
      limit.rlim_max = min(limit.rlim_max, most)
      limit.rlim_cur = limit.rlim_max
      guard unsafe setrlimit(kind, &limit) == 0 else { throw unavailable("limits") }
    }
  }
}
