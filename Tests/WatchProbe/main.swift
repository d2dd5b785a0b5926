internal import Basics
internal import Glibc
internal import SecureMemory
internal import Session
internal import StrategyHost
internal import Vault

// watch-probe FOLDER FIRST LAST: a watch refreshes LAST times, with a vault in memory, a strategy that answers at once, and
// clocks that jump from one refresh to the next. Prints the resident memory in KiB after the FIRST refresh and after the LAST.
// watch-probe log FOLDER GATE LIMIT COUNT: writes to the decision log in FOLDER, beside others of its kind.

final class MemoryVault: VaultBackend {
  private var current = VaultContents(generation: 1, entries: [:])
  var kind: BackendKind { .file }
  func contents() throws(Failure) -> VaultContents {
    var entries: [KeyName: VaultContents.Entry] = [:]
    for (name, entry) in current.entries {
      entries[name] = VaultContents.Entry(value: try entry.value.copy(), updatedAt: entry.updatedAt)
    }
    return VaultContents(generation: current.generation, entries: entries)
  }
  func update(
    expectedGeneration: UInt64?, _ edit: (VaultContents) throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let contents = try contents()
    try edit(contents)
    current = VaultContents(generation: contents.generation + 1, entries: contents.entries)
    return current.generation
  }
}

final class Clock {
  var reading = ClockReading(wall: Timestamp(seconds: 1_800_000_000), elapsed: 1_000)
  func pass(_ seconds: Int64) {
    reading = ClockReading(wall: reading.wall.advanced(by: seconds), elapsed: reading.elapsed + seconds)
  }
}

final class Strategies: StrategyRunning {
  let clock: Clock
  private(set) var runs = 0
  init(_ clock: Clock) { self.clock = clock }
  func run(_ call: StrategyCall, services: any StrategyServices) throws(Failure) -> StrategyOutcome {
    runs += 1
    return .success([
      "session": .text("cookie"), "sessionId": .secret(SecureBox(try SecureBytes(publicText: "session\(runs)"))),
      "cookieName": .text("SyncGatewaySession"), "sessionExpiresAt": .instant(clock.reading.wall.advanced(by: 600)),
      "identifier": .text("ada"), "password": .secret(SecureBox(try SecureBytes(publicText: "probe"))),
    ])
  }
}

final class Nobody: SessionPrompter {
  func ask(_ prompt: StrategyPrompt) throws(Failure) -> SecureBytes { throw Failure(.signInNeeded, "nobody") }
  func show(_ text: String) {}
}

func residentKiB() throws(Failure) -> Int {
  let status = String(decoding: try Files.read("/proc/self/statm", limit: 4_096), as: UTF8.self)
  return status.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) / 1_024 } ?? 0
}

func measure(_ folder: String, _ first: Int, _ last: Int) throws(Failure) -> (Int, Int) {
  let clock = Clock()
  let strategies = Strategies(clock)
  let vault = MemoryVault()
  let log = DecisionLog(
    Directories(config: folder, data: folder, state: folder, runtime: nil), profile: .default)
  let configuration = try SessionConfiguration(settings: [
    "EXPO_PUBLIC_AUTH_STRATEGY": "basic", "EXPO_PUBLIC_SG_URL": "wss://sync.example.com",
  ])
  func service() -> SessionService {
    SessionService(
      configuration: configuration, vault: vault, strategies: strategies,
      lock: RefreshLock(path: folder + "/refresh.lock", command: "session watch"), clock: { clock.reading.wall },
      onDecision: { try? log.append($0) })
  }
  _ = try service().login(identifier: "ada", prompter: Nobody())
  let watch = SessionWatch(
    skew: 300, service: { () throws(Failure) in service() }, clock: { clock.reading },
    onDecision: { try? log.append($0) },
    onEvent: { _ in })
  try watch.look()
  var before = 0
  for number in 1...last {
    clock.pass(301)
    try watch.work()
    if number == first { before = try residentKiB() }
  }
  guard strategies.runs == last + 1 else { throw Failure(.bug, "\(strategies.runs) runs") }
  return (before, try residentKiB())
}

let words = Swift.CommandLine.arguments
if words.count == 6, words[1] == "log", let limit = Int(words[4]), let count = Int(words[5]) {
  do throws(Failure) { try writeLog(words[2], gate: words[3], limit: limit, count: count) } catch {
    print(error)
    exit(1)
  }
  exit(0)
}
guard words.count == 4, let first = Int(words[2]), let last = Int(words[3]), first > 0, first < last else { exit(2) }
do throws(Failure) {
  let (before, after) = try measure(words[1], first, last)
  print(before, after)
} catch {
  print(error)
  exit(1)
}
