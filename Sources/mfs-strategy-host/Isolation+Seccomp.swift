internal import CSandbox
internal import CSeccomp
internal import Glibc
internal import StrategyRunner

extension Isolation {
  /// Installs the allow-list. A call that is not on it goes to the handler of `CSandbox`, which reports it and ends the
  /// process; a call for a foreign architecture kills it.
  static func filterSystemCalls() throws(Ending) {
    // 9 is the wire's kind of a `broken` message; a test holds the two together.
    guard csandbox_install(Channel.descriptor, 9, 65) == 0 else { throw unavailable("signal handler") }
    guard let filter = unsafe seccomp_init(cseccomp_trap()) else { throw unavailable("system call filter") }
    defer { unsafe seccomp_release(filter) }
    var failed = false
    func add(_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp] = []) {
      let number = unsafe seccomp_syscall_resolve_name(name)
      // Negative numbers are calls that this architecture does not have.
      guard number >= 0 else { return }
      let result = unsafe seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
      if result != 0 { failed = true }
    }
    for name in AllowList.always { add(cseccomp_allow(), name) }
    for (name, conditions) in AllowList.conditional { add(cseccomp_allow(), name, conditions) }
    // stdio asks whether its output is a terminal.
    add(cseccomp_errno(UInt16(ENOTTY)), "ioctl")
    guard !failed, unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) == 0,
      unsafe seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, cseccomp_kill()) == 0,
      unsafe seccomp_load(filter) == 0
    else { throw unavailable("system call filter") }
  }

  // No kind of clone is on it. A thread would be harmless, but nothing could bound how many there are: a filter cannot count,
  // RLIMIT_NPROC does not bind root, stacks may be as small as one likes, and a cgroup is not every user's to make.
  private enum AllowList {
    /// What computing needs, and reading and writing of what is open.
    static let always = [
      "read", "write", "readv", "writev", "pread64", "lseek", "close", "fstat", "dup", "poll", "ppoll",
      "munmap", "mremap", "madvise", "brk",
      "futex", "set_robust_list", "rseq", "sched_yield", "gettimeofday", "time", "nanosleep", "restart_syscall",
      "getrandom", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo",
      "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "exit", "exit_group",
    ]

    /// What is allowed with some arguments only.
    static let conditional: [(String, [scmp_arg_cmp])] = [
      // Memory is writable or executable, never both, and executable is only what comes from the plugin's sealed file.
      ("mmap", [mask(2, PROT_EXEC, 0)]),
      ("mmap", [mask(2, PROT_EXEC | PROT_WRITE, PROT_EXEC), mask(3, MAP_ANONYMOUS | MAP_SHARED, 0)]),
      ("mprotect", [mask(2, PROT_EXEC, 0)]),
      // abort(3) and raise(3): a signal to this process.
      ("tgkill", [equal(0, UInt64(getpid()))]),
      // Any signal but SIGSYS (31), the one that reports: 0...30, 32...63. Not "all but 31": the kernel takes the lower half
      // of the register, the filter compares the whole of it.
      ("rt_sigaction", [below(0, UInt64(SIGSYS))]),
      ("rt_sigaction", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: ~31, datum_b: 32)]),
      // The clocks that stand for all; a negative number is the processor time of any process.
      ("clock_gettime", [below(0, 16)]), ("clock_getres", [below(0, 16)]), ("clock_nanosleep", [below(0, 16)]),
      // Of the caller itself.
      ("sched_getaffinity", [equal(0, 0)]), ("sched_getaffinity", [equal(0, UInt64(getpid()))]),
      // Reading a limit of one's own.
      ("prlimit64", [equal(0, 0), equal(2, 0)]),
      // F_GET_SEALS: a look at what memory is sealed against.
      ("fcntl", [equal(1, 1034)]),
      // PR_SET_NAME: what pthread_setname_np calls.
      ("prctl", [equal(0, 15)]),
    ]

    private static func mask(_ argument: UInt32, _ bits: Int32, _ value: Int32) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(bits), datum_b: UInt64(value))
    }

    private static func equal(_ argument: UInt32, _ value: UInt64) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }

    private static func below(_ argument: UInt32, _ value: UInt64) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: SCMP_CMP_LT, datum_a: value, datum_b: 0)
    }
  }
}
