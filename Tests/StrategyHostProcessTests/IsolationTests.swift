internal import Basics
internal import CLinux
internal import Glibc
internal import StrategyWire
internal import TestSupport
internal import Testing

@Suite("Isolation")
struct IsolationTests {
  private static let demo = WireMessage.Run(
    strategy: "demo", operation: 1, timeout: 10_000, identifier: "alice", settings: [:])

  @Test("without a system call filter no plugin runs, whoever asks", arguments: [true, false])
  func noSeccomp(unprivileged: Bool) throws {
    guard !unprivileged || geteuid() == 0 else {
      return notTested("that no other user's plugin runs without a system call filter: the tests do not run as root")
    }
    let parent = ScriptedParent()
    parent.surroundings = Surroundings(
      testDescription: "without seccomp",
      prefix: {
        (unprivileged ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
          + [try BuiltFiles.compile("without.c", program: true), "seccomp"]
      }, hasLandlock: true)
    let ended = try parent.run(BuiltFiles.demo, IsolationTests.demo)
    #expect(
      ended.messages == [.refused("no isolation: the kernel does not give a plugin's process its system call filter")])
    #expect(ended.status == 64)
  }

  @Test("what this machine cannot show of a plugin's isolation is said")
  func whatIsNotTested() {
    if !Machine.hasLandlock {
      notTested("a plugin in Landlock, by every attack: this kernel has none, so \"as started\" is without it")
    }
    if geteuid() != 0 {
      notTested("a plugin of another user than the tests', by every attack: they do not run as root")
    }
    #if !arch(x86_64)
      notTested("the system calls that x86-64 alone has: this is another architecture")
    #endif
    let expected = (geteuid() == 0 ? 4 : 2)
    #expect(Surroundings.all.count == expected)
    #expect(Surroundings.all.contains(where: \.hasLandlock) == Machine.hasLandlock)
  }

  @Test("an environment, or memory that is not sealed, is refused")
  func unclean() throws {
    let parent = ScriptedParent()
    parent.environment = ["HOME=/root"]
    #expect(try parent.run(BuiltFiles.demo, IsolationTests.demo).refused?.contains("with an environment") == true)
    parent.environment = []
    parent.isSealed = false
    #expect(
      try parent.run(BuiltFiles.demo, IsolationTests.demo).refused
        == "the plugin did not arrive as sealed memory")
  }

  @Test("started by hand it says nothing and ends")
  func byHand() throws {
    #expect(try Spawned([BuiltFiles.host], environment: [], descriptors: []).wait() == 64)
  }

  @Test("a parent that hangs up, or babbles, ends the child")
  func parentGone() throws {
    for bytes: [UInt8] in [[], [1, 2], [1, 0, 0, 0, 99], Array(repeating: 0xFF, count: 64)] {
      var ends: [Int32] = [0, 0]
      try #require(
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      let memory = try BuiltFiles.memory(BuiltFiles.demo, isSealed: true)
      let child = try Spawned([BuiltFiles.host], environment: [], descriptors: [(ends[1], 3), (memory.raw, 4)])
      close(ends[1])
      let channel = FileDescriptor(owning: ends[0])
      try channel.write(bytes)
      shutdown(channel.raw, Int32(SHUT_WR))
      #expect(child.wait() == 1)
    }
  }
}
