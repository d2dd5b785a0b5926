internal import CLinux
internal import Glibc

extension ChildProcess {
  /// What a descriptor of a program's is.
  public enum Stream {
    /// `/dev/null`, to read from and to write to.
    case null
    /// A copy of one of this process's.
    case copy(of: Int32)
  }

  /// What a program does on signals at first.
  public enum Signals {
    /// What every program does: none is blocked, none is ignored.
    case fresh
    /// What this process was told by whoever started it: these are blocked, and ignored is what was ignored then.
    case inherited(blocked: [Int32])
  }

  /// The environment that a program is given.
  public enum Variables {
    /// This process's own, these added or replaced.
    case own(with: [(name: String, value: String)])
    /// These and no others.
    case only([(name: String, value: String)])
    /// None at all.
    case none
  }

  static func spawn(
    _ path: String, _ words: [String], _ variables: Variables, _ descriptors: [Stream], _ keepsOthers: Bool,
    _ signals: Signals
  ) throws(Failure) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    let copies = try unsafe redirect(descriptors, &actions)
    defer { copies.forEach { close($0) } }
    if !keepsOthers { unsafe clinux_spawn_close_from(&actions, Int32(descriptors.count)) }
    set(signals, &attributes)
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    let environment = unsafe entries(of: variables) + [nil]
    defer {
      unsafe arguments.forEach { unsafe free($0) }
      unsafe environment.forEach { unsafe free($0) }
    }
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, path, &actions, &attributes, arguments, environment)
    guard code == 0 else {
      throw Failure(.inputOutput, "cannot start \(OutsideText.clean(path, limit: 300)): \(systemErrorText(code))")
    }
    return child
  }

  private static func entries(of variables: Variables) -> [UnsafeMutablePointer<CChar>?] {
    if case .only(let given) = variables { return unsafe given.map { unsafe strdup("\($0.name)=\($0.value)") } }
    guard case .own(let added) = variables else { return unsafe [] }
    var entries: [UnsafeMutablePointer<CChar>?] = unsafe []
    var cursor = unsafe environ
    while let entry = unsafe cursor.pointee {
      let isReplaced = added.contains { unsafe strncmp(entry, "\($0.name)=", $0.name.utf8.count + 1) == 0 }
      // As bytes: what stands there need not be text.
      if !isReplaced { unsafe entries.append(strdup(entry)) }
      unsafe cursor += 1
    }
    return unsafe entries + added.map { unsafe strdup("\($0.name)=\($0.value)") }
  }

  // Copies are made above the numbers that they are given in the program, so that none is overwritten before it is used.
  private static func redirect(
    _ descriptors: [Stream], _ actions: inout posix_spawn_file_actions_t
  ) throws(Failure) -> [Int32] {
    var copies: [Int32] = []
    for (number, stream) in descriptors.enumerated() {
      switch stream {
      case .null: unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      case .copy(let source):
        let copy = fcntl(source, F_DUPFD_CLOEXEC, Int32(descriptors.count))
        guard copy >= 0 else {
          let failure = Failure.system("copy a descriptor")
          copies.forEach { close($0) }
          throw failure
        }
        copies.append(copy)
        unsafe posix_spawn_file_actions_adddup2(&actions, copy, Int32(number))
      }
    }
    return copies
  }

  private static func set(_ signals: Signals, _ attributes: inout posix_spawnattr_t) {
    var blocked = sigset_t(), defaults = sigset_t()
    unsafe sigemptyset(&blocked)
    switch signals {
    case .fresh: unsafe sigfillset(&defaults)
    case .inherited(let numbers):
      for number in numbers { unsafe sigaddset(&blocked, number) }
      unsafe sigemptyset(&defaults)
      // What this program ignores for itself.
      for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&defaults, number) }
    }
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
  }
}
