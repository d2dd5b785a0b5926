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

  // The Swift runtime answers these with a backtrace where it finds its tool for that: it prints registers and the memory they
  // point to, and leaves the terminal waiting. Crashes and Ctrl-\ do again what they do in other programs.
  private static func forbidBacktraces() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] {
      let before = signal(number, SIG_DFL)
      // One that was ignored (nohup) stays so.
      if unsafe unsafeBitCast(before, to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }
}
