internal import Basics
internal import CLinux
internal import Glibc

/// The signals that matter while a command runs, held back and to be waited for. Those that stop this process take effect
/// when this value ends.
final class CommandSignals {
  /// What was held back before.
  var before: [Int32] {
    (1...64).filter { number in unsafe withUnsafePointer(to: mask) { unsafe sigismember($0, number) } == 1 }
  }
  private let mask: sigset_t
  private let stops: FileDescriptor
  private let children: FileDescriptor
  private let childHandler: __sighandler_t?

  /// Holds them back. Throws ``FailureCode/inputOutput``.
  init() throws(Failure) {
    // Whoever started us may ignore the end of children; then nobody could be waited for.
    childHandler = signal(SIGCHLD, SIG_DFL)
    var stopping = sigset_t()
    var child = sigset_t()
    unsafe sigemptyset(&stopping)
    unsafe sigemptyset(&child)
    // One that is ignored stops nobody.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where clinux_is_ignored(number) == 0 {
      unsafe sigaddset(&stopping, number)
    }
    unsafe sigaddset(&child, SIGCHLD)
    var all = stopping
    unsafe sigaddset(&all, SIGCHLD)
    // The terminal is taken back from the background, which would otherwise stop us.
    unsafe sigaddset(&all, SIGTTOU)
    var previous = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &all, &previous)
    mask = previous
    let first = unsafe clinux_signalfd(&stopping), second = unsafe clinux_signalfd(&child)
    stops = FileDescriptor(owning: first)
    children = FileDescriptor(owning: second)
    guard first >= 0, second >= 0 else { throw .system("wait for signals") }
  }

  deinit {
    signal(SIGCHLD, childHandler)
    var mask = mask
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Waits for one of the descriptors to be readable, for a child to stop, or for so many milliseconds, -1 for any time.
  /// Says false when this process is to stop.
  func wait(with descriptors: [Int32], milliseconds: Int32) throws(Failure) -> Bool {
    var waiting = ([stops.raw, children.raw] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let status = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    guard status >= 0 || clinux_errno() == EINTR else { throw .system("wait for a command") }
    if waiting[1].revents != 0 { forgetChild() }
    return status < 0 || waiting[0].revents == 0
  }

  private func forgetChild() {
    var record = [UInt8](repeating: 0, count: 128)
    while unsafe read(children.raw, &record, record.count) > 0 {}
  }
}
