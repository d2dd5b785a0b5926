import Basics
import Foundation
import Testing

@Suite struct WaitingTests {
  private func isReady(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) == 1
  }

  @Test func aFolderTellsOfEachChange() throws {
    let folder = NSTemporaryDirectory() + "/mfsctl-folder-\(UUID().uuidString)"
    #expect(FolderWatch(folder) == nil, "there is none")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let watch = try #require(FolderWatch(folder))
    #expect(!isReady(watch.descriptor, 0) && !watch.take())
    let changes: [() throws -> Void] = [
      { try Data("a".utf8).write(to: URL(fileURLWithPath: folder + "/a")) },
      { try FileManager.default.moveItem(atPath: folder + "/a", toPath: folder + "/b") },
      { try FileManager.default.removeItem(atPath: folder + "/b") },
      { try FileManager.default.removeItem(atPath: folder) },
    ]
    for change in changes {
      try change()
      #expect(isReady(watch.descriptor, 1_000) && watch.take())
      #expect(!isReady(watch.descriptor, 0))
    }
  }

  @Test func aTimerRingsAtItsMoment() throws {
    let timer = try WallTimer()
    try timer.ring(at: Timestamp.now().advanced(by: 2))
    #expect(!isReady(timer.descriptor, 100))
    #expect(isReady(timer.descriptor, 3_000))
    #expect(!timer.take(), "the clock was not set")
    try timer.ring(at: Timestamp(seconds: 1))
    #expect(isReady(timer.descriptor, 1_000), "a moment that has gone by")
    for moment in [nil, Timestamp(seconds: .max)] {
      try timer.ring(at: moment)
      #expect(!isReady(timer.descriptor, 50))
    }
    try timer.ring(at: Timestamp(seconds: .min))
    #expect(isReady(timer.descriptor, 1_000))
  }

  /// The kernel is asked to tell of a change of the clock, with a moment to ring at and without: TFD_TIMER_ABSTIME (1) and
  /// TFD_TIMER_CANCEL_ON_SET (2) on CLOCK_REALTIME (0), and armed, since one that is not hears of nothing.
  @Test(arguments: [nil, Timestamp.now().advanced(by: 3_600), Timestamp(seconds: .max)] as [Timestamp?])
  func aTimerIsToldOfAChangeOfTheClock(moment: Timestamp?) throws {
    let timer = try WallTimer()
    try timer.ring(at: moment)
    let told = try String(contentsOfFile: "/proc/self/fdinfo/\(timer.descriptor)", encoding: .utf8)
    #expect(told.contains("\nclockid: 0\n") && told.contains("\nsettime flags: 03\n"), "\(told)")
    #expect(told.contains("\nit_value: (") && !told.contains("\nit_value: (0, 0)"), "\(told)")
  }
}
