import Foundation
import StrategyHost
import Testing

/// A process that runs plugins for a long time.
struct LeakTests {
  // In a process of its own, because other tests open and start things at the same time.
  @Test func twoHundredRunsLeaveNothingBehind() async {
    await #expect(processExitsWith: .success) {
      let folder = try BuiltFolder()
      let host = StrategyHost(locations: folder.locations, interruption: .never)
      let services = ScriptedServices()
      func runs(_ count: Int) throws {
        for index in 0..<count {
          let call = StrategyCall(
            // Every other one fails: an identifier that demo does not take.
            strategy: "demo", operation: .login, settings: [:], identifier: index % 2 == 0 ? "alice" : " ")
          _ = try host.run(call, services: services)
        }
      }
      func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
      func kilobytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(pages[1]) ?? 0) * 4
      }
      try runs(20)
      let before = (descriptors: try descriptors(), kilobytes: try kilobytes())
      try runs(200)
      #expect(try descriptors() == before.descriptors)
      // Each run handles a copy of the library of hundreds of kilobytes.
      #expect(try kilobytes() < before.kilobytes + 8_192)
      // No child is left, running or not waited for.
      var status: Int32 = 0
      #expect(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD)
    }
  }
}
