import Basics
import CLinux
import Foundation
import TestSupport
import Testing

@testable import BackendAdmin

/// The log holds nobody up.
@Suite struct LogTests {
  private struct Pipe {
    let reading: Int32, writing: Int32

    init() {
      var ends: [Int32] = [0, 0]
      _ = pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
    }

    func close() {
      Foundation.close(reading)
      Foundation.close(writing)
    }

    /// Reads until the text has what is looked for.
    func read(until isDone: (String) -> Bool) -> String {
      var all: [UInt8] = [], text = ""
      while !isDone(text) {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(reading, &part, part.count)
        guard count > 0 else { break }
        all += part[..<count]
        text = String(decoding: all, as: UTF8.self)
      }
      return text
    }
  }

  @Test func linesAreWhatWasWrittenInOrder() throws {
    let pipe = Pipe()
    defer { pipe.close() }
    let log = try ServiceLog(descriptor: pipe.writing)
    for number in 0..<100 { log.write(.info, "e", [("n", .number(number))]) }
    log.flush(within: 5)
    let lines = try Daemon.lines(pipe.read { $0.contains("\"n\":99}\n") })
    #expect(lines.map { $0["n"] as? Int } == Array(0..<100))
    #expect(lines.allSatisfy { $0["level"] as? String == "info" && $0["event"] as? String == "e" })
  }

  /// Who has a line does not wait for who reads it; what is too much is dropped, and told of when it goes on.
  @Test func aLogThatNobodyReadsHoldsUpNobody() throws {
    let pipe = Pipe()
    defer { pipe.close() }
    let log = try ServiceLog(descriptor: pipe.writing)
    let start = MonotonicInstant.now(), text = String(repeating: "x", count: 10_000)
    for number in 0..<1_000 { log.write(.info, "e", [("n", .number(number)), ("text", .string(text))]) }
    #expect(MonotonicInstant.now().milliseconds(since: start) < 5_000)
    log.flush(within: 0.1)
    #expect(MonotonicInstant.now().milliseconds(since: start) < 6_000)
    let lines = try Daemon.lines(pipe.read { $0.contains("log.dropped") && $0.hasSuffix("\n") })
    let kept = lines.count { $0["event"] as? String == "e" }
    #expect(kept * 10_000 < 2 * ServiceLog.capacity + 200_000 && kept * 10_000 > ServiceLog.capacity / 2)
    #expect(lines.last?["count"] as? Int == 1_000 - kept)
    log.write(.info, "after")
    let after = try Daemon.lines(pipe.read { $0.hasSuffix("\n") })
    #expect(after.map { $0["event"] as? String } == ["after"])
  }

  /// A line that was broken off counts as one, and so does each after it: the line end that would come before the next one is none.
  @Test func whatCannotBeWrittenIsCountedOnce() throws {
    // A file that takes so much and no more.
    let size = 4 * Int(getpagesize()), file = clinux_memfd_create("log", 2)
    defer { close(file) }
    #expect(ftruncate(file, off_t(size)) == 0 && fcntl(file, 1_033, 4) == 0)
    let log = try ServiceLog(descriptor: file)
    log.write(.info, "long", [("text", .string(String(repeating: "x", count: size)))])
    log.flush(within: 10)
    #expect(lseek(file, 0, SEEK_CUR) == size)
    #expect(log.metrics.hasSuffix("mfs_log_lines_dropped_total 1\n"))
    for number in 2...3 {
      log.write(.info, "next")
      log.flush(within: 10)
      #expect(log.metrics.hasSuffix("mfs_log_lines_dropped_total \(number)\n"))
    }
  }

  /// The server answers, stops and ends although nobody reads its log.
  @Test func aServerWhoseLogIsStuckServesAndStops() throws {
    let daemon = try Daemon()
    // The reader of stderr stops at once; what comes after it fills the pipe.
    let script = """
      mkfifo log
      sleep 50 < log & reader=$!
      mfs-authd --config config.yaml serve 2> log & server=$!
      trap 'kill -TERM $server' TERM
      wait $server; wait $server; echo "ended $?" > ended
      kill $reader
      """
    let process = try Background(["sh", "-c", script], in: daemon.sandbox)
    defer { process.send(SIGKILL) }
    let line = process.text { $0.hasSuffix("\n") }
    let ready = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let origin = try #require(ready["listen"] as? String), metrics = try #require(ready["metrics"] as? String)
    // Each is a line of more than 100 bytes, and a pipe holds 64 KiB.
    let many =
      "import http.client, sys\nc = http.client.HTTPConnection(sys.argv[1][7:], timeout=10)\n"
      + "for _ in range(12000): c.request('GET', '/healthz'); c.getresponse().read()"
    let load = try run(["/usr/bin/python3", "-c", many, origin], in: daemon.sandbox)
    #expect(load.status == 0, "\(load.errorText)")
    let text = try daemon.get(metrics + "/metrics").text
    let dropped = text.split(separator: "\n").last { $0.hasPrefix("mfs_log_lines_dropped_total ") }
    #expect(Int(dropped?.split(separator: " ").last ?? "").map { $0 > 0 } == true, "\(text.suffix(300))")
    let start = MonotonicInstant.now()
    _ = try run(["kill", "-TERM", "\(try #require(ready["pid"] as? Int))"], in: daemon.sandbox)
    _ = process.wait()
    #expect(MonotonicInstant.now().milliseconds(since: start) < 8_000)
    #expect(try String(contentsOfFile: daemon.sandbox("ended"), encoding: .utf8) == "ended 0\n")
  }
}
