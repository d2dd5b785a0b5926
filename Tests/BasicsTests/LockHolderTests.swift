import Basics
import Foundation
import Testing

@Suite struct LockHolderTests {
  private func withFile(_ body: (borrowing FileDescriptor, String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "/mfsctl-holder-\(UUID().uuidString)"
    defer { unlink(path) }
    let file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT | O_EXCL)
    try body(file, path)
  }

  @Test func aRunningHolderIsNamed() throws {
    try withFile { file, _ in
      let since = try #require(Timestamp(rfc3339: "2026-09-04T12:00:00Z"))
      let own = try #require(LockHolder(command: "session refresh", since: since))
      own.write(to: file)
      let found = LockHolder(readingFrom: file)
      let read = try #require(found)
      #expect("\(read)" == "process \(getpid()), 'session refresh', since 2026-09-04T12:00:00Z")
      LockHolder.clear(file)
      let cleared = LockHolder(readingFrom: file)
      #expect(cleared == nil)
    }
  }

  /// The name of a process that has ended, or whose number another has now, is nobody's; nor is what is no name.
  @Test func aStaleNameIsNobodys() throws {
    try withFile { file, path in
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/true")
      try process.run()
      process.waitUntilExit()
      let end = #""command":"x","since":"2026-09-04T12:00:00Z"}"#
      for text in [
        #"{"pid":\#(process.processIdentifier),"started":"1",\#(end)"#, #"{"pid":\#(getpid()),"started":"1",\#(end)"#,
        #"{"pid":-1,"started":"1",\#(end)"#, #"{"pid":0,"started":"",\#(end)"#, #"{"pid":1e3,"started":"1",\#(end)"#,
        #"{"pid":9999999999999,"started":"1",\#(end)"#, "", "{", "4711\n", String(repeating: "[", count: 4_000),
        "\u{0}",
      ] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: [])
        let again = try FileDescriptor.open(path, flags: O_RDONLY)
        let found = LockHolder(readingFrom: again)
        #expect(found == nil, "\(text.prefix(40))")
      }
    }
  }

  @Test func whatANameSaysIsCleaned() throws {
    try withFile { file, _ in
      let own = try #require(LockHolder(command: "a\u{1B}[31m\nb"))
      own.write(to: file)
      let found = LockHolder(readingFrom: file)
      let read = try #require(found)
      #expect(!"\(read)".unicodeScalars.contains { $0.value < 0x20 })
    }
  }
}
