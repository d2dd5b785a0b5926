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
    forbidBacktraces()
    umask(0o077)
  }

  // The Swift runtime's crash handlers print the registers and the memory that they point to, whatever lies there. The
  // runtime reads SWIFT_BACKTRACE before main, so a variable set here would come too late: the handlers are taken away.
  private static func forbidBacktraces() {
    for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      let before = signal(crash, SIG_DFL)
      let isIgnored = unsafe unsafeBitCast(before, to: Int.self) == 1
      if isIgnored { signal(crash, SIG_IGN) }
    }
  }
}
