internal import Basics
internal import CLinux
internal import Glibc

/// A child process with exactly the descriptors and the environment that it is given.
struct Spawned {
  let pid: pid_t

  /// Starts `arguments[0]`, found in PATH of this process. `descriptors` are pairs of ours and the child's.
  init(_ arguments: [String], environment: [String], descriptors: [(from: Int32, to: Int32)]) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // Out of the way of the child's numbers first, since one of ours may be another of the child's.
    let moved = descriptors.map { (fcntl($0.from, F_DUPFD_CLOEXEC, 100), $0.to) }
    for (from, to) in moved { unsafe posix_spawn_file_actions_adddup2(&actions, from, to) }
    // Not the pipes of other tests, which Foundation lets children inherit: whoever waits for the end of one would wait
    // for this child as well.
    unsafe clinux_spawn_close_from(&actions, max(2, descriptors.map(\.to).max() ?? 2) + 1)
    var argv: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
    var child: pid_t = 0
    var result: Int32
    repeat {
      result = unsafe posix_spawnp(&child, arguments[0], &actions, nil, &argv, &envp)
      // A file just written can be open for writing in a child that another thread is starting at this moment.
      if result == ETXTBSY { usleep(2_000) }
    } while result == ETXTBSY
    for index in unsafe argv.indices { unsafe free(argv[index]) }
    for index in unsafe envp.indices { unsafe free(envp[index]) }
    for (from, _) in moved { close(from) }
    guard result == 0, child > 0 else {
      throw Failure(.notFound, "cannot start \(arguments[0]): \(systemErrorText(result))")
    }
    pid = child
  }

  /// Waits; the exit status, or minus the signal that killed it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 { guard clinux_errno() == EINTR else { return 126 } }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }
}
