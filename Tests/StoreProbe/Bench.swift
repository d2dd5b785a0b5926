internal import BackendStore
internal import Basics
internal import Glibc

/// Rotations per second, each durable, and how long they took.
func bench(file: String, callers: Int, seconds: Int, families: Int) throws(Failure) {
  let store = try SQLiteStore(path: file)
  if try store.family(id: "family-\(families - 1)") == nil { try begin(0..<families, in: store) }
  struct Result: Sendable {
    var ready = 0
    var start = MonotonicInstant.now()
    var finished = 0
    var micros: [Int64] = []
  }
  let result = Monitor(Result())
  for caller in 0..<callers {
    let worker = try Thread {
      let mine = Array(stride(from: caller, to: families, by: callers))
      var generations = mine.map { (try? store.family(id: "family-\($0)")?.generation) ?? 0 }
      var times: [Int64] = []
      var index = 0
      // The clock starts when everybody knows the families.
      result.withLock {
        $0.ready += 1
        $0.start = .now()
      }
      let end = result.wait { $0.ready == callers ? $0.start.advanced(bySeconds: Double(seconds)) : nil }
      while MonotonicInstant.now() < end {
        let before = MonotonicInstant.now()
        guard (try? rotate(mine[index], from: generations[index], in: store)) == true else {
          print("a rotation failed")
          break
        }
        times.append((MonotonicInstant.now().nanoseconds - before.nanoseconds) / 1_000)
        generations[index] += 1
        // All over the table: neighbours would share its pages.
        index = (index + 7_919) % mine.count
      }
      result.withLock {
        $0.finished += 1
        $0.micros += times
      }
    }
    worker.detach()
  }
  let done = result.wait { $0.finished == callers ? $0 : nil }
  let spent = Double(MonotonicInstant.now().nanoseconds - done.start.nanoseconds) / 1e9
  let times = done.micros.sorted()
  guard !times.isEmpty else { throw Failure(.bug, "nothing was rotated") }
  let mean = times.reduce(0, +) / Int64(times.count)
  print(
    "\(callers) callers: \(Int(Double(times.count) / spent))/s, mean \(mean) us, p50 \(times[times.count / 2]) us, "
      + "p99 \(times[times.count * 99 / 100]) us, max \(times[times.count - 1]) us")
}
