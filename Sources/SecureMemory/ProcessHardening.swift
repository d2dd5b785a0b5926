public import Basics
internal import CLinux
internal import Glibc

/// What a process that will hold secrets does first.
public enum ProcessHardening {
  /// No core dump, no ptrace by others of the same user, no access for others to what it creates, no backtraces.
  /// Call it before any secret is read. Throws ``FailureCode/inputOutput`` when the kernel refuses, which it does not
  /// on any supported one.
  public static func apply() throws(Failure) {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    guard clinux_forbid_dumps() == 0, unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore) == 0 else {
      throw .system("forbid core dumps")
    }
    umask(0o077)
  }
}
