internal import Basics
internal import Glibc
internal import StrategyWire
internal import Testing

/// What must come of an attack.
enum Expected: Sendable {
  /// The host ends the process and says this.
  case reported(String)
  /// The call returned, but with an error: the plugin's own failure says this.
  case failed(String)
  /// The process dies of a signal.
  case killed(Int32)
  /// The process ends by itself, with this status, having reported nothing.
  case silent(Int32)
  /// What it wrote is no message.
  case garbled
}

struct Attack: Sendable, CustomTestStringConvertible {
  let name: String
  let expected: Expected
  var testDescription: String { name }

  init(_ name: String, _ expected: Expected) { (self.name, self.expected) = (name, expected) }

  static func task(_ name: String, _ systemCall: String) -> Attack {
    Attack(name, .reported("it tried to start a thread or a process (system call \(systemCall))"))
  }

  /// The system call that the report names.
  static func call(_ name: String, _ systemCall: String) -> Attack {
    Attack(name, .reported("it tried what no plugin may (system call \(systemCall))"))
  }

  static func file(_ name: String, _ file: String, _ systemCall: String = "openat") -> Attack {
    Attack(name, .reported("it tried to reach the file \(file) (system call \(systemCall))"))
  }
}

extension Ended {
  /// Compares with what was expected, and that nothing escaped.
  func check(_ attack: Attack, _ surroundings: Surroundings) {
    #expect(result == nil, "escaped")
    switch attack.expected {
    case .reported(let text):
      #expect(broken == text)
      #expect(status == 65)
    case .failed(let text):
      #expect(
        failure?.message.hasPrefix(text) == true, "\(messages.last.map { "\($0)" } ?? "nothing"), status \(status)")
      #expect(status == 0)
    case .killed(let signal):
      #expect(messages.count == 1)
      #expect(status == -signal)
    case .silent(let code):
      #expect(messages.count == 1)
      #expect(status == code)
    case .garbled: #expect(isGarbled)
    }
    // Whatever the plugin did, the first message tells of the sandbox, and was sent before the plugin ran.
    guard case .hello(let hello)? = messages.first else {
      Issue.record("the first message is no hello: \(messages)")
      return
    }
    #expect((hello.landlock > 0) == surroundings.hasLandlock)
  }
}

@Suite("An adversarial plugin")
struct AdversaryTests {
  static let fileAttacks: [Attack] = [
    .file("open-write", "/tmp/mfs-adversary"), .file("open-passwd", "/etc/passwd"),
    .file("open-self-plugin", "/proc/self/fd/4"), .file("open-library", "/usr/lib/libswift_Concurrency.so"),
    .file("openat2", "/etc/passwd", "openat2"), .file("statx", "/etc", "statx"),
    .file("self-environ", "/proc/self/environ"), .file("self-mem", "/proc/self/mem"),
    .call("handle", "open_by_handle_at"), .call("memfd", "memfd_create"),
    Attack("environment", .failed("environ gave -1")),
    Attack("descriptors", .failed("read of other descriptors gave -1")),
  ]

  static let processAttacks: [Attack] = [
    .task("fork", "clone"), .task("clone", "clone"), .task("clone-namespace", "clone"),
    .task("clone-thread", "clone"), .task("clone3", "clone3"),
    // pthread_create blocks every signal, so that none can report.
    Attack("thread", .killed(SIGSYS)),
    Attack("thread-bomb", .killed(SIGSYS)),
    .file("execve", "/bin/sh", "execve"),
    .file("execveat", "/bin/sh", "execveat"), .call("ptrace", "ptrace"), .call("ptrace-me", "ptrace"),
    .call("vm-read", "process_vm_readv"), .call("vm-write", "process_vm_writev"), .call("pidfd-open", "pidfd_open"),
    .call("pidfd-getfd", "pidfd_getfd"), .call("kcmp", "kcmp"), .call("kill", "kill"), .call("kill-self", "kill"),
    .call("kill-group", "kill"), .call("tgkill", "tgkill"), .call("tkill", "tkill"),
    .call("sigqueue", "rt_sigqueueinfo"), .call("getppid", "getppid"),
    .call("affinity", "sched_getaffinity"), .call("processor-time", "clock_gettime"),
    .call("processor-clock", "clock_getres"), .call("processor-wait", "clock_nanosleep"),
  ]

  static let kernelAttacks: [Attack] = [
    .call("socket-inet", "socket"), .call("socket-inet6", "socket"), .call("socket-unix", "socket"),
    .call("socket-netlink", "socket"), .call("socketpair", "socketpair"), .call("connect", "connect"),
    .call("recvmsg", "recvmsg"), .call("sendmsg", "sendmsg"), .call("io-uring", "io_uring_setup"), .call("bpf", "bpf"),
    .call("userfaultfd", "userfaultfd"), .call("perf", "perf_event_open"), .call("keyctl", "keyctl"),
    .call("unshare", "unshare"), .call("setns", "setns"), .file("mount", "/nonexistent", "mount"),
    .call("setuid", "setuid"),
    .call("capset", "capset"), .call("dumpable", "prctl"), .call("pdeathsig", "prctl"), .call("seccomp", "seccomp"),
    .call("rlimit", "prlimit64"), .call("rlimit-parent", "prlimit64"),
    Attack("ioctl", .failed("ioctl gave -1, errno 25")), .call("fcntl", "fcntl"), .call("mmap-rwx", "mmap"),
    .call("mmap-exec", "mmap"), .call("mprotect", "mprotect"), .call("mprotect-code", "mprotect"),
    .call("sigsys-ignore", "rt_sigaction"), .call("sigsys-high", "rt_sigaction"),
    Attack("sigsys-block", .killed(SIGSYS)),
    .call("sigsys-raise", "0"),
  ]

  #if arch(x86_64)
    static let architectureAttacks: [Attack] = [
      .file("open-plain", "/etc/passwd", "open"), .task("vfork", "vfork"), .task("raw-fork", "fork"),
      .file("access", "/etc/passwd", "access"), .file("readlink", "/proc/self/exe", "readlink"),
      .file("chdir", "/", "chdir"), Attack("i386", .killed(SIGSYS)), Attack("x32", .killed(SIGSYS)),
    ]
  #else
    static let architectureAttacks: [Attack] = []
  #endif

  static let misbehaviour: [Attack] = [
    Attack("trap", .killed(SIGILL)), Attack("segv", .killed(SIGSEGV)), Attack("abort", .killed(SIGABRT)),
    Attack("exit", .silent(0)), Attack("raw-exit", .silent(0)), Attack("exit-63", .silent(63)),
    Attack("allocate", .failed("malloc gave -1")), Attack("stack", .killed(SIGSEGV)), Attack("garbage", .garbled),
    Attack("half-frame", .silent(0)), Attack("huge-frame", .garbled), Attack("print", .failed("print gave 0")),
  ]

  private func run(_ name: String, _ surroundings: Surroundings, target: String = "", patience: Double = 20) throws
    -> Ended
  {
    let parent = ScriptedParent()
    parent.surroundings = surroundings
    parent.patience = patience
    return try parent.run(
      BuiltFiles.compile("adversary.c"),
      .init(
        strategy: "adversary", operation: 1, timeout: 60_000, identifier: nil,
        settings: ["ATTACK": .text(name), "TARGET": .text(target), "PARENT": .text(String(getpid()))]))
  }

  @Test("reaches no file", arguments: Surroundings.all, fileAttacks)
  func files(surroundings: Surroundings, attack: Attack) throws {
    try run(attack.name, surroundings).check(attack, surroundings)
    #expect(!Files.exists("/tmp/mfs-adversary"))
  }

  @Test("reaches no vault, even one that everybody may read", arguments: Surroundings.all)
  func vault(surroundings: Surroundings) throws {
    let vault = "\(BuiltFiles.scratch)/default.mfsv"
    if !Files.exists(vault) {
      let file = try FileDescriptor.open(vault, flags: O_WRONLY | O_CREAT, mode: 0o644)
      try file.write(Array("MFSV".utf8))
    }
    for (name, call) in [("open-target", "openat"), ("stat-target", "newfstatat")] {
      let attack = Attack.file(name, vault, call)
      try run(name, surroundings, target: vault).check(attack, surroundings)
    }
    try #expect(run("unlink", surroundings, target: vault).broken?.contains("unlink") == true)
    #expect(Files.exists(vault))
  }

  @Test("reaches nothing of its parent in /proc", arguments: Surroundings.all, ["mem", "environ", "cmdline", "fd"])
  func parent(surroundings: Surroundings, file: String) throws {
    let path = "/proc/\(getpid())/\(file)" + (file == "fd" ? "/3" : "")
    try run("parent-\(file)", surroundings).check(.file("parent-\(file)", path), surroundings)
  }

  @Test("starts, watches and signals no process", arguments: Surroundings.all, processAttacks)
  func processes(surroundings: Surroundings, attack: Attack) throws {
    try run(attack.name, surroundings).check(attack, surroundings)
  }

  @Test("gets nothing of the kernel that it does not need", arguments: Surroundings.all, kernelAttacks)
  func kernel(surroundings: Surroundings, attack: Attack) throws {
    try run(attack.name, surroundings).check(attack, surroundings)
  }

  @Test("finds no way round by another architecture's numbers", arguments: Surroundings.all, architectureAttacks)
  func architecture(surroundings: Surroundings, attack: Attack) throws {
    try run(attack.name, surroundings).check(attack, surroundings)
  }

  @Test("that crashes, ends or babbles harms itself only", arguments: Surroundings.all, misbehaviour)
  func misbehaves(surroundings: Surroundings, attack: Attack) throws {
    try run(attack.name, surroundings).check(attack, surroundings)
  }

  @Test("that hangs is killed", arguments: ["loop", "sleep"])
  func hangs(name: String) throws {
    try run(name, .plain, patience: 0.3).check(Attack(name, .killed(SIGKILL)), .plain)
  }

  @Test("that asks is told of a cancellation and of the deadline", arguments: [true, false])
  func cancelled(byUser: Bool) throws {
    let parent = ScriptedParent()
    parent.cancelAfter = byUser ? 0.1 : nil
    let ended = try parent.run(
      BuiltFiles.compile("adversary.c"),
      .init(
        strategy: "adversary", operation: 1, timeout: byUser ? 60_000 : 100, identifier: nil,
        settings: ["ATTACK": .text("polite-loop")]))
    #expect(ended.failure == .init(reason: 8, message: "stopped"))
  }
}
