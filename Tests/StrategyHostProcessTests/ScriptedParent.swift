internal import Basics
internal import Glibc
internal import StrategyWire
internal import TestSupport
internal import Testing

/// How the child is started.
struct Surroundings: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let prefix: @Sendable () throws -> [String]
  let hasLandlock: Bool

  static let plain = Surroundings(
    testDescription: "as started", prefix: { [] }, hasLandlock: Machine.hasLandlock)
  static let withoutLandlock = Surroundings(
    testDescription: "without Landlock", prefix: { [try BuiltFiles.compile("without.c", program: true), "landlock"] },
    hasLandlock: false)

  private static let unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// With and without Landlock; and, when the tests run as root, the same for a user without privileges.
  static let all: [Surroundings] = {
    let asStarted = [plain, withoutLandlock]
    guard geteuid() == 0 else { return asStarted }
    return asStarted
      + asStarted.map { one in
        Surroundings(
          testDescription: "\(one.testDescription), unprivileged", prefix: { unprivileged + (try one.prefix()) },
          hasLandlock: one.hasLandlock)
      }
  }()
}

/// What came of one run of the host.
struct Ended: Sendable {
  /// The messages in the order they came.
  var messages: [WireMessage] = []
  /// Whether the channel's bytes stopped being messages.
  var isGarbled = false
  /// The exit status, or minus the signal.
  var status: Int32 = 0

  /// The text of a `broken`.
  var broken: String? { if case .broken(let text)? = messages.last { text } else { nil } }
  /// The text of a `refused`.
  var refused: String? { if case .refused(let text)? = messages.last { text } else { nil } }
  /// The plugin's failure.
  var failure: WireMessage.StrategyFault? { if case .failure(let fault)? = messages.last { fault } else { nil } }
  /// The plugin's result.
  var result: WireRecord? { if case .result(let record)? = messages.last { record } else { nil } }
  /// What was logged.
  var log: [String] { messages.compactMap { if case .log(_, let text) = $0 { text } else { nil } } }
}

/// The other end of the channel: answers host calls from a script.
final class ScriptedParent {
  typealias Answer = (HostCall, WireRecord) -> (HostStatus, WireRecord)

  var surroundings = Surroundings.plain
  /// Seconds until the child is killed.
  var patience = 20.0
  /// Sends `cancel` after as many seconds.
  var cancelAfter: Double?
  var environment: [String] = []
  var isSealed = true
  var answer: Answer = { _, _ in (.denied, ["message": .text("not in the script")]) }

  /// Runs one operation of the plugin in a file and returns what came of it.
  func run(_ plugin: String, _ run: WireMessage.Run) throws -> Ended {
    var ends: [Int32] = [0, 0]
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw Failure.system("make a socket pair")
    }
    let channel = FileDescriptor(owning: ends[0])
    let memory = try BuiltFiles.memory(plugin, isSealed: isSealed)
    let child = try Spawned(
      surroundings.prefix() + [BuiltFiles.host], environment: environment,
      descriptors: [(ends[1], 3), (memory.raw, 4)])
    close(ends[1])
    var ended = Ended()
    try? channel.write(WireMessage.run(run).frame())
    converse(channel, child, &ended)
    kill(child.pid, SIGKILL)
    ended.status = child.wait()
    return ended
  }

  private func converse(_ channel: borrowing FileDescriptor, _ child: Spawned, _ ended: inout Ended) {
    var reader = FrameReader()
    var bytes: [UInt8] = []
    let start = ScriptedParent.now()
    var isCancelSent = false
    do {
      while ScriptedParent.now() - start < patience {
        if let cancelAfter, !isCancelSent, ScriptedParent.now() - start >= cancelAfter {
          try channel.write(WireMessage.cancel.frame())
          isCancelSent = true
        }
        var entry = pollfd(fd: channel.raw, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 20) > 0 else { continue }
        bytes.removeAll()
        // An end that nobody waits for may still have been the child's own: let it finish.
        if try channel.read(into: &bytes, count: 65_536) == 0 { return settle(child) }
        reader.feed(bytes)
        while let message = try reader.next() {
          ended.messages.append(message)
          guard case .request(let id, let call, let fields) = message else { continue }
          let (status, answer) = self.answer(call, fields)
          try channel.write(WireMessage.response(id: id, status, answer).frame())
        }
      }
    } catch Failure(.pluginFailed, "") { ended.isGarbled = true } catch {}
  }

  // Waits, without reaping it, until the child has ended.
  private func settle(_ child: Spawned) {
    var info = unsafe siginfo_t()
    let start = ScriptedParent.now()
    while ScriptedParent.now() - start < patience {
      unsafe waitid(P_PID, id_t(child.pid), &info, WEXITED | WNOWAIT | WNOHANG)
      if unsafe info.si_signo != 0 { return }
      usleep(1_000)
    }
  }

  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
