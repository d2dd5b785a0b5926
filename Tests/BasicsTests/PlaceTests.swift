import Basics
import CLinux
import Glibc
import Testing

@Suite struct DirectoriesTests {
  @Test func mfsctlHomeComesFirst() throws {
    let found = try Directories(environment: Environment(["MFSCTL_HOME": "/m", "HOME": "/h", "XDG_DATA_HOME": "/x"]))
    #expect(found == Directories(config: "/m/config", data: "/m/data", state: "/m/state", runtime: "/m/runtime"))
  }

  @Test func followsTheBaseDirectorySpecification() throws {
    let found = try Directories(
      environment: Environment([
        "HOME": "/h", "XDG_DATA_HOME": "/x", "XDG_CONFIG_HOME": "relative", "XDG_STATE_HOME": "",
        "XDG_RUNTIME_DIR": "/run/user/1",
      ]))
    #expect(
      found
        == Directories(
          config: "/h/.config/mfsctl", data: "/x/mfsctl", state: "/h/.local/state/mfsctl",
          runtime: "/run/user/1/mfsctl"))
  }

  @Test func needsAHome() {
    #expect(throws: Failure(.configuration, "")) { try Directories(environment: Environment([:])) }
    #expect(throws: Failure(.configuration, "")) { try Directories(environment: Environment(["MFSCTL_HOME": "m"])) }
  }
}

@Suite struct ProfileNameTests {
  @Test(arguments: ["default", "a", "0-9._x", String(repeating: "a", count: 64)])
  func accepts(name: String) throws {
    #expect(try ProfileName(name).text == name)
  }

  @Test(arguments: ["", ".", "..", "-a", "_a", "A", "a/b", "a b", "é", "a\0", String(repeating: "a", count: 65)])
  func refuses(name: String) {
    #expect(throws: Failure(.usage, "")) { try ProfileName(name) }
  }
}

@Suite struct FilesTests {
  @Test func saysWhatIsWrongWithAFile() throws {
    #expect(throws: Failure(.notFound, "")) { try Files.read("/nonexistent/file", limit: 10) }
    #expect(throws: Failure(.usage, "")) { try Files.read("/", limit: 10) }
    #expect(throws: Failure(.usage, "")) { try Files.read("/dev/zero", limit: 10) }
    #expect(throws: Failure(.configuration, "")) { try Files.read("/proc/self/exe", limit: 10) }
    #expect(throws: Failure(.inputOutput, "")) { try Files.read("/etc/passwd/x", limit: 10) }
    #expect(try !Files.read("/etc/passwd", limit: 1 << 20).isEmpty)
  }

  /// A sparse file costs nothing, and its size may be the largest there is.
  @Test func aFileOfTheLargestSizeIsTooLarge() throws {
    let number = unsafe clinux_memfd_create("largest", 0)
    let file = FileDescriptor(owning: number)
    try #require(ftruncate(number, .max) == 0)
    #expect(try file.readToEnd(limit: 10_000) == nil)
    #expect(throws: Failure(.configuration, "")) { try Files.read("/proc/self/fd/\(number)", limit: 10_000) }
  }
}
