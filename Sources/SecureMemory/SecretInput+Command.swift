public import Basics
internal import CLinux
internal import Glibc

extension SecretInput {
  /// What `sh -c command` prints. It gets our environment and stderr, and nothing to read. Throws
  /// ``FailureCode/inputOutput`` when it cannot be run, `unsuccessful` with its exit status when it fails.
  public static func read(
    command: String, limit: Int, what: String, unsuccessful: FailureCode
  ) throws(Failure) -> SecureBytes {
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends) == 0 else { throw .system("make a pipe") }
    let output = FileDescriptor(owning: ends[0])
    let child = try spawn(command, output: FileDescriptor(owning: ends[1]))
    // The command is waited for whatever happens, so that none is left behind.
    var failure: Failure?
    var secret: SecureBytes?
    do throws(Failure) { secret = try read(descriptor: output.raw, limit: limit, what: what) } catch { failure = error }
    close(output.release())
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, clinux_errno() == EINTR {}
    if let failure { throw failure }
    guard status == 0, let result = secret.take() else {
      let end = status & 0x7F == 0 ? "exit status \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
      throw Failure(unsuccessful, "\(what) ended with \(end)")
    }
    return result
  }

  private static func spawn(_ command: String, output: consuming FileDescriptor) throws(Failure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.raw, 1)
    let words = ["/bin/sh", "-c", command]
    let arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, "/bin/sh", &actions, nil, arguments, environ)
    guard status == 0 else { throw Failure(.inputOutput, "cannot run /bin/sh: \(systemErrorText(status))") }
    return child
  }
}
