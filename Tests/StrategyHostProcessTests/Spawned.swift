internal import CLinux
internal import Glibc

/// A child process with exactly the descriptors and the environment that it is given.
struct Spawned {
  let pid: pid_t

  /// Starts `arguments[0]`, found in PATH of this process. `descriptors` are pairs of ours and the child's.
  init(_ arguments: [String], environment: [String], descriptors: [(from: Int32, to: Int32)]) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // Out of the way of the child's numbers first, since one of ours may be another of the child's.
    let moved = descriptors.map { (fcntl($0.from, F_DUPFD_CLOEXEC, 100), $0.to) }
    for (from, to) in moved { unsafe posix_spawn_file_actions_adddup2(&actions, from, to) }
    var argv: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
    var child: pid_t = 0
    let result = unsafe posix_spawnp(&child, arguments[0], &actions, nil, &argv, &envp)
    for index in unsafe argv.indices { unsafe free(argv[index]) }
    for index in unsafe envp.indices { unsafe free(envp[index]) }
    for (from, _) in moved { close(from) }
    pid = result == 0 ? child : -1
  }

  /// Waits; the exit status, or minus the signal that killed it.
  func wait() -> Int32 {
    guard pid > 0 else { return 127 }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 { guard clinux_errno() == EINTR else { return 126 } }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }
}
