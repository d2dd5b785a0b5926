internal import CLinux
internal import Glibc
internal import StrategyRunner

extension Isolation {
  /// Denies every file, every TCP port and, from ABI 6, abstract sockets and signals beyond this process: a ruleset that
  /// handles all access and allows none. Returns the ABI version in force, 0 when the kernel has no Landlock.
  static func restrictFiles() throws(Ending) -> UInt32 {
    let version = clinux_landlock_version()
    // Not built in, switched off at boot, or a filter above us answers: the seccomp filter stands alone then.
    guard version >= 1 else { return 0 }
    var ruleset = clinux_landlock_ruleset()
    ruleset.handled_access_fs = FileAccess.all(version)
    if version >= 4 { ruleset.handled_access_net = 0b11 }  // bind and connect of TCP
    if version >= 6 { ruleset.scoped = 0b11 }  // abstract UNIX sockets and signals
    let size = version >= 6 ? 24 : version >= 4 ? 16 : 8
    let descriptor = unsafe clinux_landlock_create_ruleset(&ruleset, size)
    guard descriptor >= 0 else { throw unavailable("Landlock rules") }
    defer { close(descriptor) }
    guard clinux_landlock_restrict_self(descriptor) == 0 else { throw unavailable("Landlock rules") }
    return UInt32(version)
  }

  private enum FileAccess {
    /// The rights that a version knows: 13 from the start, then refer (2), truncate (3) and ioctl on devices (5).
    static func all(_ version: Int32) -> UInt64 {
      let count: UInt64 = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13
      return 1 << count - 1
    }
  }
}
