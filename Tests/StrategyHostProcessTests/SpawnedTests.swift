internal import Glibc
internal import Testing

@Suite("A spawned program")
struct SpawnedTests {
  // Foundation's pipes are inherited; a program that keeps one keeps its reader waiting.
  @Test("has no descriptor but its own")
  func descriptors() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let child = try Spawned(
      ["sh", "-c", "test ! -e /proc/$$/fd/\(ends[0]) && test ! -e /proc/$$/fd/\(ends[1])"],
      environment: ["PATH=/usr/bin:/bin"], descriptors: [])
    #expect(child.wait() == 0)
  }
}
