import Basics
import Glibc
import Testing

@Suite struct FileLockTests {
  @Test func oneHolderAtATime() throws {
    let path = "/tmp/mfsctl-lock-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    let first = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT, mode: 0o600)
    let second = try FileDescriptor.open(path, flags: O_RDWR)
    #expect(try FileLock.acquire(first, until: .now()))
    var notices = 0
    let start = MonotonicInstant.now()
    #expect(try !FileLock.acquire(second, until: start.advanced(bySeconds: 1.3)) { notices += 1 })
    #expect(MonotonicInstant.now().milliseconds(since: start) >= 1_300)
    #expect(notices == 1)
    FileLock.release(first)
    #expect(try FileLock.acquire(second, until: .now()))
  }

  @Test func whatCannotBeLockedIsSaidAtOnce() throws {
    let closed = FileDescriptor(owning: -1)
    #expect(throws: Failure.self) { try FileLock.acquire(closed, until: .now().advanced(bySeconds: 60)) }
  }
}
