import Basics
import CLinux
import Glibc
import Testing

/// What a program that was started here is given, and how it ends.
struct ChildProcessTests {
  /// What `sh -c` prints on a pipe that is its descriptor 1.
  private func printed(
    _ script: String, variables: ChildProcess.Variables = .own(with: []), keepsOthers: Bool = false,
    signals: ChildProcess.Signals = .fresh
  ) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe clinux_pipe(&ends) == 0)
    let reading = FileDescriptor(owning: ends[0])
    let child: ChildProcess
    do {
      let writing = FileDescriptor(owning: ends[1])
      child = try ChildProcess(
        "/bin/sh", ["sh", "-c", script], variables: variables,
        descriptors: [.null, .copy(of: writing.raw), .copy(of: writing.raw)], keepsOthers: keepsOthers, signals: signals
      )
    }
    let bytes = try #require(try reading.readToEnd(limit: 65_536))
    #expect(child.wait() == 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func itHasNoDescriptorsButItsOwn() throws {
    let open = try FileDescriptor.open("/dev/zero", flags: O_RDONLY)
    let inherited = fcntl(open.raw, F_DUPFD, 200)
    defer { close(inherited) }
    #expect(try printed("exec ls /proc/self/fd | tr '\\n' ' '").hasPrefix("0 1 2 3 "))
    #expect(try !printed("ls /proc/$$/fd").split(separator: "\n").contains("\(inherited)"))
    #expect(try printed("ls /proc/$$/fd", keepsOthers: true).split(separator: "\n").contains("\(inherited)"))
  }

  @Test func aDescriptorMayComeFromTheNumberOfAnother() throws {
    // The child's 1 and 2 are copies of each other's numbers here.
    let first = try FileDescriptor.open("/dev/null", flags: O_RDWR)
    let second = try FileDescriptor.open("/dev/zero", flags: O_RDWR)
    let child = try ChildProcess(
      "/bin/sh",
      ["sh", "-c", "test /proc/$$/fd/\(first.raw) -ef /dev/zero && test /proc/$$/fd/\(second.raw) -ef /dev/null"],
      descriptors: (0...max(first.raw, second.raw)).map {
        $0 == first.raw ? .copy(of: second.raw) : $0 == second.raw ? .copy(of: first.raw) : .null
      })
    #expect(child.wait() == 0)
  }

  @Test func variablesAreReplacedAndAddedAsBytes() throws {
    setenv("MFSCTL_TEST_CHILD", "old", 1)
    unsafe setenv("MFSCTL_TEST_BYTES", [CChar(bitPattern: 0xFF), 0], 1)
    defer {
      unsetenv("MFSCTL_TEST_CHILD")
      unsetenv("MFSCTL_TEST_BYTES")
    }
    let script = #"printf '%s|' "$MFSCTL_TEST_CHILD" "$(printf %s "$MFSCTL_TEST_BYTES" | od -An -tx1)""#
    #expect(try printed(script, variables: .own(with: [("MFSCTL_TEST_CHILD", "new")])) == "new| ff|")
    // What a shell sets for itself is all that there is.
    #expect(try Int(printed("env | wc -l", variables: .none).trimming()) ?? 99 <= 4)
  }

  @Test func signalsAreThoseOfAFreshProgram() throws {
    signal(SIGUSR2, SIG_IGN)
    defer { signal(SIGUSR2, SIG_DFL) }
    func sets(_ signals: ChildProcess.Signals) throws -> [UInt64] {
      let script = "grep -E 'SigBlk|SigIgn' /proc/$$/status | cut -f2 | tr '\\n' ' '"
      return try printed(script, signals: signals).split(separator: " ").compactMap { UInt64($0, radix: 16) }
    }
    // 32 and 33 are the C library's own, which it does not let anybody set.
    let everySignal: UInt64 = ~(0b11 << 31), ours: UInt64 = 1 << UInt64(SIGUSR2 - 1)
    #expect(try sets(.fresh).map { $0 & everySignal } == [0, 0])
    let inherited = try sets(.inherited(blocked: [SIGUSR1]))
    #expect(inherited.first == 1 << UInt64(SIGUSR1 - 1))
    #expect(inherited.count == 2 && inherited.last.map { $0 & ours } == ours)
  }

  @Test func theWholeGroupEnds() throws {
    let child = try ChildProcess(
      "/bin/sh", ["sh", "-c", "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 0.01; done' & wait; wait"],
      descriptors: [.null, .null, .null])
    #expect(!child.ends(within: 20) && !child.hasEnded)
    child.stop(asking: 50)
    #expect(child.hasEnded && child.wait() == SIGKILL)
    // Nobody is left in the group.
    var tries = 0
    while kill(-child.id, 0) == 0, tries < 500 {
      usleep(10_000)
      tries += 1
    }
    #expect(kill(-child.id, 0) != 0)
  }

  @Test func itsEndCanBeSeenBeforeItIsWaitedFor() throws {
    let child = try ChildProcess("/bin/sh", ["sh", "-c", "exit 7"], descriptors: [])
    #expect(child.ends(within: 10_000) && child.hasEnded)
    #expect(child.wait() == 7 << 8 && child.wait() == 7 << 8)
    child.stop(asking: 1_000)
  }

  @Test func whatCannotBeStartedIsSaid() throws {
    let failure = #expect(throws: Failure.self) {
      try ChildProcess("/nonexistent/program", ["program"], descriptors: [])
    }
    #expect(failure?.message == "cannot start /nonexistent/program: No such file or directory")
  }
}

extension String {
  fileprivate func trimming() -> String { String(self.drop { $0 == " " }.prefix { $0.isNumber }) }
}
